// What a search minimises: the length of a tour, and what an objective adds to it.
//
// A move asks `view.gain(move, removed, added)` (tours/moves/move.cuh), which asks the
// objective of the metric that lengths are computed by. Of a metric without one that is the length
// alone: then `gain` is a difference of lengths, and nothing of this file is left in a kernel.
// `Under` is a metric with an objective. An objective is a struct with
//
//   AnObjective(const uint64* words, int n)        its parameters (backends/include/words.cuh),
//                                                  and cities
//   Gain gain(const Change& change, Gain shorter)  what a change gains that makes the tour shorter
//                                                  by so much, exactly, also where that is
//                                                  negative; `forbidden<Gain>()` where it must not
//                                                  be made
//   bool feasible(team, n, city)                   whether a tour may be a result: that of
//                                                  city(0), ... city(n - 1); a search that passes
//                                                  through others keeps the best that may. The same
//                                                  for all lanes
//
// A change is made of edges between cities of the problem: change.edges() of them leave and as many
// come, change.leaving(e) and change.coming(e); change.kMostEdges at most. An edge may be among
// both. Where objectives are not a sum over edges, they may look at the tour before the change:
// change.cities() many, city(place) at each, between whose places the same edges are change.cut(e)
// and change.link(e); tour_segments.cuh makes of them the tour after it. The ends of all cuts have
// numbers below 2 change.edges(): change.ends_out(e) and change.ends_in(e) are those of cuts and
// links, and change.place(end) is where the city at an end stands.
#pragma once

#include "tours/problem/lengths.cuh"
#include "backends/include/words.cuh"

namespace gls {

// Less than any gain, and far from overflow.
template <class Gain>
GLS_DEVICE constexpr Gain forbidden() {
  return Gain(Gain(0.5) != Gain(0) ? -1e300 : -double(int64(1) << (8 * sizeof(Gain) - 2)));
}

// Two cities that are neighbours, or their places in a tour.
struct Edge {
  int from, to;
};

// The length alone: no part of a kernel, and no register.
struct LengthObjective {};

// Behind it are the objective's words.
struct UnderData {
  const void* metric_data;
};

// What the words of an objective that keeps data of tours begin with.
struct KeptTours {
  char* first;   // what is kept of the first row
  int64 stride;  // bytes from row to row
};

// A metric whose searches have an objective.
template <class Metric, class ObjectiveType>
struct Under : Metric {
  using Objective = ObjectiveType;
  Objective objective;

  GLS_DEVICE Under(const void* data, int n)
      : Metric(static_cast<const UnderData*>(data)->metric_data, n),
        objective(words_behind<UnderData>(static_cast<const uint64*>(data)), n) {}
};

// The objective of a metric.
template <class Metric, class = void>
struct ObjectiveOf {
  using Type = LengthObjective;
};
template <class Metric>
struct ObjectiveOf<Metric, decltype(void(sizeof(typename Metric::Objective)))> {
  using Type = typename Metric::Objective;
};

// Whether lengths say all.
GLS_DEVICE constexpr bool is_length(const LengthObjective*) { return true; }
GLS_DEVICE constexpr bool is_length(const void*) { return false; }
template <class Metric>
GLS_DEVICE constexpr bool length_alone() {
  return is_length(static_cast<typename ObjectiveOf<Metric>::Type*>(nullptr));
}

// The same where each row has data of its own: the metric's, and behind them the objective's words.
template <class Metric, class ObjectiveType>
struct RowsUnder : Metric {
  using Objective = ObjectiveType;
  static constexpr int kRowBytes = Metric::kRowBytes + 8 * Objective::kWords;
  Objective objective;

  GLS_DEVICE RowsUnder(const void* data, int n)
      : Metric(data, n), objective(static_cast<const uint64*>(data) + Metric::kRowBytes / 8, n) {}
};

// Whether an objective keeps sums over the edges of the tour, which are told of each change:
//
//   begin(team, n, city)   of the tour of city(0), ... city(n - 1); all lanes
//   follow(change)         a change is about to be made; one lane
//   mark(), restore()      take note of the sums, and go back to them; one lane
//
// `kFollows` says so.
template <class Objective, class = void>
struct Follows {
  enum : bool { kValue = false };
};
template <class Objective>
struct Follows<Objective, decltype(void(Objective::kFollows))> {
  enum : bool { kValue = Objective::kFollows };
};
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
// use(objective), by one lane.
template <class Team, class View, class Use>
GLS_DEVICE void change_sums(const Team& team, const View& view, Use use) {
  if constexpr (follows<View>()) {
    team.sync();
    team.once([&] { use(view.length.metric.objective); });
    team.sync();
  }
}

// Whether an objective keeps data of the tour in hand, so that what a change gains is known without
// a walk over the tour:
//
//   choose(row)            the tour of a row of the batch is in hand; its words begin
//                          with KeptTours
//   keep(team, n, city)    of a tour that has changed, that of city(0), ... city(n - 1); all lanes
//   chosen_depot(city)     which city a candidate list means by one that stands for several
//   relief<Gain>()         the most that any change may gain beyond the length that it saves
//   may_relieve(change)    whether it may gain anything beyond that; may be left out
//   add_up(n, a, b)        whether both of two changes gain what each of them does, and may both be
//                          made if each may: they cut the tour between its places a.place(0), ...
//                          a.place(a.count - 1) and those behind, and are apart there
//
// `kKeeps` says so.
template <class Objective, class = void>
struct Keeps {
  enum : bool { kValue = false };
};
template <class Objective>
struct Keeps<Objective, decltype(void(Objective::kKeeps))> {
  enum : bool { kValue = Objective::kKeeps };
};
template <class Metric>
GLS_DEVICE constexpr bool keeps() {
  return Keeps<typename ObjectiveOf<Metric>::Type>::kValue;
}
// Whether a tour and its reverse may cost differently although lengths have no directions:
// `kDirected` says so. Then moves leave the segment of t1, the city at end 0, as it is, and the
// tour after a change is TourSegments(change, change.place(0)). In Python, `directed` says the
// same.
template <class Objective, class = void>
struct Directed {
  enum : bool { kValue = false };
};
template <class Objective>
struct Directed<Objective, decltype(void(Objective::kDirected))> {
  enum : bool { kValue = Objective::kDirected };
};
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
    const Team its_team = team;  // copies, so that what is hot stays in registers
    const View its_view = view;
    keep_apart(&its_team, &its_view);  // long, and it would be in a kernel several times
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
// Whether it may keep some places again, all others being as they were (see Routing):
// `kKeepsPlaces` says so. A team of one thread then need not walk over the whole tour.
template <class Objective, class = void>
struct KeepsPlaces {
  enum : bool { kValue = false };
};
template <class Objective>
struct KeepsPlaces<Objective, decltype(void(Objective::kKeepsPlaces))> {
  enum : bool { kValue = Objective::kKeepsPlaces };
};
template <class View>
GLS_DEVICE constexpr bool keeps_places() {
  return !kOnDevice &&
         KeepsPlaces<typename ObjectiveOf<typename View::Lengths::Metric>::Type>::kValue;
}
template <class Length, class Metric>
GLS_DEVICE Length relief_of(const Metric& metric) {
  if constexpr (keeps<Metric>()) {
    return metric.objective.template relief<Length>();
  } else {
    return 0;
  }
}

// Whether an objective knows at a glance that a change gains nothing beyond the length that it
// saves, since none of the routes that it cuts pays for anything: `may_relieve(change)` says so.
template <class Objective, class Change, class = void>
struct Relieves {
  GLS_DEVICE static bool may(const Objective&, const Change&) { return true; }
};
template <class Objective, class Change>
struct Relieves<Objective, Change,
                decltype(void(((const Objective*)nullptr)->may_relieve(*(const Change*)nullptr)))> {
  GLS_DEVICE static bool may(const Objective& objective, const Change& change) {
    return objective.may_relieve(change);
  }
};

// What a city is called in the problem.
template <class Metric>
GLS_DEVICE int name_of(const Renamed<Metric>& metric, int city) {
  return metric.names[city];
}
template <class Metric>
GLS_DEVICE int name_of(const Metric&, int city) {
  return city;
}

// Whether a tour may be a result: that of the cities city(0), city(1), ...
template <class Team, class View, class City>
GLS_DEVICE bool is_feasible(const Team& team, const View& view, City city) {
  return view.length.metric.objective.feasible(team, view.tour.n, city);
}

}  // namespace gls
