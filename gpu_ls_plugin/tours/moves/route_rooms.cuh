// Routes that would use too much of one resource: most moves between routes are forbidden, and of
// those that join pieces of different routes that is known without asking the objective.
//
// For one thread that looks at one move after another. Lanes that look at many together evaluate
// all of them anyway; for them, and for objectives that have no such resource, nothing is known.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

// Whether an objective says what routes use (`kRooms`: see Routing).
template <class Objective, class = void>
struct HasRooms {
  static constexpr bool kValue = false;
};
template <class Objective>
struct HasRooms<Objective, decltype(void(Objective::kRooms))> {
  static constexpr bool kValue = Objective::kRooms && !kOnDevice;
};

// Whether a single thread looks at moves whose gains are an objective's, few of which lengths
// leave.
template <class View>
GLS_DEVICE constexpr bool asks_seldom() {
  return !kOnDevice && keeps<typename View::Lengths::Metric>();
}

// Pieces of routes, and what they use.
template <class View>
struct RouteRooms {
  using Objective = typename ObjectiveOf<typename View::Lengths::Metric>::Type;
  static constexpr bool kKnown = HasRooms<Objective>::kValue;

  const View& view;

  GLS_DEVICE bool known() const {
    if constexpr (kKnown) return view.length.metric.objective.breaks_none();
    return false;
  }
  GLS_DEVICE const Objective& routes() const { return view.length.metric.objective; }
  GLS_DEVICE int name(int city) const { return name_of(view.length.metric, city); }
  GLS_DEVICE bool is_depot(int city) const { return routes().visits_depot(name(city)); }

  // The piece of a route from a city on, by steps of one forward or back.
  GLS_DEVICE auto piece(int city, int step) const {
    return routes().piece(view.tour.place(city), name(city), step, view.tour.n);
  }
  GLS_DEVICE bool too_much(int64 used) const { return used > routes().most_used(); }

  // Whether no part of a route is in both.
  template <class Piece>
  GLS_DEVICE static bool apart(const Piece& a, const Piece& b) {
    return a.route != b.route || a.route < 0;
  }
};

// Neighbouring cities that a move carries elsewhere, one more at a time.
template <class View>
struct CarriedCities {
  int64 head = 0, tail = 0;  // what is used up to the first copy of the depot, and behind the last
  bool customers = true;     // whether there is none

  CarriedCities() = default;
  GLS_DEVICE CarriedCities(const RouteRooms<View>& rooms, const int* cities, int count) {
    for (int i = 0; i < count; ++i) add(rooms, cities[i]);
  }

  GLS_DEVICE void add(const RouteRooms<View>& rooms, int city) {
    if constexpr (RouteRooms<View>::kKnown) {
      if (rooms.is_depot(city)) {
        customers = false, tail = 0;
        return;
      }
      const int64 used = rooms.routes().used(rooms.name(city));
      head += customers ? used : 0;
      tail += used;
    }
  }
  // Whether a route has too much with them between two pieces, or one that begins or ends there.
  template <class Piece>
  GLS_DEVICE bool too_much(const RouteRooms<View>& rooms, const Piece& ahead,
                           const Piece& behind) const {
    return customers ? rooms.too_much(ahead.used + head + behind.used)
                     : rooms.too_much(ahead.used + head) || rooms.too_much(tail + behind.used);
  }
};

}  // namespace gls
