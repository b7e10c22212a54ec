// Objectives. A search minimises the length of a tour plus the cost that the objective adds.
//
// To compute the gain of a move, `view.gain(move, removed, added)` (tours/moves/move.cuh) calls the
// objective of the metric. If the metric has none, the gain is a difference of lengths, and kernels
// contain no code of this file. `Under` is a metric with an objective.
//
// An objective is a struct with
//
//   AnObjective(const uint64* words, int n)        constructor: parameters (see
//                                                  backends/include/words.cuh) and number of cities
//   Gain gain(const Change& change, Gain shorter)  the exact gain of a change, which may be
//                                                  negative. `shorter`: how much shorter the change
//                                                  makes the tour. Returns `forbidden<Gain>()` if
//                                                  the change is not allowed
//   bool feasible(team, n, city)                   whether the tour city(0), ... city(n - 1) may be
//                                                  a result; the same answer in all lanes. A search
//                                                  may pass through infeasible tours, and keeps the
//                                                  best feasible one
//
// A change removes change.edges() edges, change.leaving(e), and adds as many, change.coming(e).
// There are at most change.kMostEdges of each; an edge may be both removed and added. An objective
// that is not a sum over edges may read the tour before the change:
//
//   change.cities(), change.city(place)     the number of cities, and the city at a place
//   change.cut(e), change.link(e)           the removed and the added edges, as pairs of places
//   change.ends_out(e), change.ends_in(e)   the same edges as pairs of ends; the ends of removed
//                                           edges are numbered 0, ... 2 change.edges() - 1
//   change.place(end)                       the place of the city at an end
//
// tour_segments.cuh derives the tour after the change from these.
#pragma once

#include "tours/problem/lengths.cuh"
#include "backends/include/words.cuh"

namespace gls {

// The gain of a change that is not allowed: less than any other gain, and far from overflow.
template <class Gain>
GLS_DEVICE constexpr Gain forbidden() {
  return Gain(Gain(0.5) != Gain(0) ? -1e300 : -double(int64(1) << (8 * sizeof(Gain) - 2)));
}

// An edge: two cities, or their places in a tour.
struct Edge {
  int from, to;
};

// No objective: the cost is the length alone. It needs no code and no register.
struct LengthObjective {};

// The data of `Under`; the objective's words follow.
struct UnderData {
  const void* metric_data;
};

// The first words of an objective that keeps data of tours.
struct KeptTours {
  char* first;   // the data of the first row
  int64 stride;  // bytes per row
};

// A metric with an objective.
template <class Metric, class ObjectiveType>
struct Under : Metric {
  using Objective = ObjectiveType;
  Objective objective;

  GLS_DEVICE Under(const void* data, int n)
      : Metric(static_cast<const UnderData*>(data)->metric_data, n),
        objective(words_behind<UnderData>(static_cast<const uint64*>(data)), n) {}
};

// The type of the objective of a metric.
template <class Metric, class = void>
struct ObjectiveOf {
  using Type = LengthObjective;
};
template <class Metric>
struct ObjectiveOf<Metric, decltype(void(sizeof(typename Metric::Objective)))> {
  using Type = typename Metric::Objective;
};

// Whether a metric has no objective, so that lengths are the costs.
GLS_DEVICE constexpr bool is_length(const LengthObjective*) { return true; }
GLS_DEVICE constexpr bool is_length(const void*) { return false; }
template <class Metric>
GLS_DEVICE constexpr bool length_alone() {
  return is_length(static_cast<typename ObjectiveOf<Metric>::Type*>(nullptr));
}

// `Under` if each row has separate data: the metric's data, followed by the objective's words.
template <class Metric, class ObjectiveType>
struct RowsUnder : Metric {
  using Objective = ObjectiveType;
  static constexpr int kRowBytes = Metric::kRowBytes + 8 * Objective::kWords;
  Objective objective;

  GLS_DEVICE RowsUnder(const void* data, int n)
      : Metric(data, n), objective(static_cast<const uint64*>(data) + Metric::kRowBytes / 8, n) {}
};

// An objective with `kFollows` keeps sums over the edges of the current tour. Searches call
//
//   begin(team, n, city)   with a new tour city(0), ... city(n - 1), in all lanes
//   follow(change)         before they make a change, in one lane
//   mark(), restore()      to save the sums and to go back to them, in one lane
GLS_OPTIONAL_CONSTANT(Follows, kFollows, bool, false);
template <class View>
GLS_DEVICE constexpr bool follows() {
  return Follows<typename ObjectiveOf<typename View::Lengths::Metric>::Type>::kValue;
}
template <class Team, class View>
GLS_DEVICE void begin_sums(const Team& team, const View& view) {
  if constexpr (follows<View>()) {
    team.sync();
    view.length.metric.objective.begin(team, view.tour.n, [&](int p) { return view.tour.at(p); });
    team.sync();
  }
}
// Calls use(objective) in one lane.
template <class Team, class View, class Use>
GLS_DEVICE void change_sums(const Team& team, const View& view, Use use) {
  if constexpr (follows<View>()) {
    team.sync();
    team.once([&] { use(view.length.metric.objective); });
    team.sync();
  }
}

// An objective with `kKeeps` keeps data of the current tour, so that it computes gains without
// walking over the tour. Its words begin with KeptTours. It has
//
//   choose(row)           makes the tour of a row of the batch the current one
//   keep(team, n, city)   computes the data of a new tour city(0), ... city(n - 1), in all lanes
//   chosen_depot(city)    the city to use for a candidate: lists name only one copy of the depot,
//                         so the objective chooses which copy to use
//   relief<Gain>()        an upper bound on the gain of a change minus the length that it saves
//   add_up(n, a, b)       whether two changes, each allowed, may be made together and gain the sum
//                         of their gains. They cut the tour after the places a.place(0), ...
//                         a.place(a.count - 1) and those of b, and do not overlap
GLS_OPTIONAL_CONSTANT(Keeps, kKeeps, bool, false);
template <class Metric>
GLS_DEVICE constexpr bool keeps() {
  return Keeps<typename ObjectiveOf<Metric>::Type>::kValue;
}

// With `kDirected` (`directed` in Python), a tour and its reverse may have different costs even if
// lengths are symmetric. Moves then never reverse the segment that contains t1, the city at end 0,
// and the tour after a change is TourSegments(change, change.place(0)).
GLS_OPTIONAL_CONSTANT(Directed, kDirected, bool, false);
template <class View>
GLS_DEVICE bool turns_either_way(const View&, int directions) {
  return directions == 2 &&
         !Directed<typename ObjectiveOf<typename View::Lengths::Metric>::Type>::kValue;
}
template <class Metric>
GLS_DEVICE Metric metric_of(const void* data, int n, int row) {
  Metric metric(data, n);
  if constexpr (keeps<Metric>()) metric.objective.choose(row);
  return metric;
}
template <class Team, class View>
GLS_OUT_OF_LINE void keep_apart(const Team* team, const View* view) {
  view->length.metric.objective.keep(*team, view->tour.n, [&](int p) { return view->tour.at(p); });
}
template <class Team, class View>
GLS_DEVICE void keep_tour(const Team& team, const View& view) {
  using Metric = typename View::Lengths::Metric;
  if constexpr (keeps<Metric>()) {
    team.sync();
    const Team its_team = team;  // copies, so that the originals stay in registers
    const View its_view = view;
    keep_apart(&its_team, &its_view);  // out of line: long, and called at several places
    team.sync();
  }
}
template <class View, class Cuts>
GLS_DEVICE bool add_up(const View& view, const Cuts& a, const Cuts& b) {
  if constexpr (keeps<typename View::Lengths::Metric>()) {
    return view.length.metric.objective.add_up(view.tour.n, a, b);
  } else {
    return true;
  }
}

template <class Length, class Metric>
GLS_DEVICE Length relief_of(const Metric& metric) {
  if constexpr (keeps<Metric>()) {
    return metric.objective.template relief<Length>();
  } else {
    return 0;
  }
}

// The number that a city has in the problem; sites may be stored for renumbered cities.
template <class Metric>
GLS_DEVICE int name_of(const Renamed<Metric>& metric, int city) {
  return metric.names[city];
}
template <class Metric>
GLS_DEVICE int name_of(const Metric&, int city) {
  return city;
}

// Whether the tour city(0), city(1), ... may be a result.
template <class Team, class View, class City>
GLS_DEVICE bool is_feasible(const Team& team, const View& view, City city) {
  return view.length.metric.objective.feasible(team, view.tour.n, city);
}

// Computes the data that an objective keeps for each tour of a batch, for searches whose kernels do
// not compute them first.
template <class Team, class Metric>
struct KeepTours {
  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             const int* tours) {
    const int* const tour = tours + int64(item) * n;
    metric_of<Metric>(metric_data, n, item).objective.keep(team, n, [&](int p) { return tour[p]; });
  }
};

}  // namespace gls
