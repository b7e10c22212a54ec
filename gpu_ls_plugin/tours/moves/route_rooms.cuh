// Checks of one resource limit, such as the capacity of vehicles, that most moves between routes
// exceed. If a move joins pieces of different routes, the sum of what the pieces use shows this
// without a call to the objective.
//
// The checks are for a single thread that tries moves in turn. Lanes that evaluate many moves
// together would gain nothing; for them, and for objectives without such a resource, `kKnown` is
// false.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

// Whether an objective reports how much of the resource routes use (see Routing).
GLS_CONSTANT_OF(HasRooms, bool, kRooms, false);

// Whether a single thread tries moves under an objective. Such a thread rarely calls the objective,
// because lengths alone reject most moves.
template <class View>
GLS_DEVICE constexpr bool asks_seldom() {
  return !kOnDevice && keeps<typename View::Lengths::Metric>();
}

// Pieces of routes and their use of the resource.
template <class View>
struct RouteRooms {
  using Objective = typename ObjectiveOf<typename View::Lengths::Metric>::Type;
  static constexpr bool kKnown = HasRooms<Objective>::kValue && !kOnDevice;

  const View& view;

  // Whether the tour violates no constraint; only then does exceeding the limit rule out a move.
  GLS_DEVICE bool known() const {
    if constexpr (kKnown) return view.length.metric.objective.breaks_none();
    return false;
  }
  GLS_DEVICE const Objective& routes() const { return view.length.metric.objective; }
  GLS_DEVICE int name(int city) const { return name_of(view.length.metric, city); }
  GLS_DEVICE bool is_depot(int city) const { return routes().visits_depot(name(city)); }

  // The piece of a route from a city on, forward (step 1) or backward (-1).
  GLS_DEVICE auto piece(int city, int step) const {
    return routes().piece(view.tour.place(city), name(city), step, view.tour.n);
  }
  GLS_DEVICE bool too_much(int64 used) const { return used > routes().most_used(); }

  // Whether two pieces belong to different routes. A depot (route < 0) is apart from all pieces.
  template <class Piece>
  GLS_DEVICE static bool apart(const Piece& a, const Piece& b) {
    return a.route != b.route || a.route < 0;
  }
};

// Consecutive cities that a move carries elsewhere, added one by one.
template <class View>
struct CarriedCities {
  int64 head = 0, tail = 0;  // use before the first copy of the depot, and after the last one
  bool customers = true;     // whether all cities so far are customers

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
  // Whether a route exceeds the limit if the cities are put between two pieces.
  template <class Piece>
  GLS_DEVICE bool too_much(const RouteRooms<View>& rooms, const Piece& ahead,
                           const Piece& behind) const {
    return customers ? rooms.too_much(ahead.used + head + behind.used)
                     : rooms.too_much(ahead.used + head) || rooms.too_much(tail + behind.used);
  }
};

}  // namespace gls
