// 2-opt* at a city: exchanges the ends of two routes (Potvin and Rousseau 1995).
//
// In either direction of the tour, .. t2 X D .. q Y E .. becomes .. t2 Y D .. q X E .., where D and
// E are the next copies of the depot, and X or Y may be empty. The other form of 2-opt*, which
// reverses parts of routes, is a 2-opt move of the giant tour.
#pragma once

#include "tours/moves/exchange_move.cuh"

namespace gls {

struct TwoOptStarMove {
  static constexpr bool kOwnEnds = true;
  static constexpr int kListed = 1;
  static constexpr int kMostEdges = 4;

  GLS_DEVICE static int variants(int) { return 1; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int, Move& move) {
    const auto& tour = view.tour;
    const auto& routes = view.length.metric.objective;
    const int step = first.forward ? -1 : 1, n = tour.n;
    int place = tour.place(first.t3);
    if (routes.visits_depot(first.t3) && routes.visits_depot(tour.at(place + step))) {
      place = tour.wrap(place + step);  // from the beginning of an empty route to its end
    }
    const SegmentSwap swap(tour, step, tour.place(first.t1), place);
    const int length = routes.steps_to_depot(swap.first, step, n);
    const int other = routes.steps_to_depot(swap.second, step, n);
    // No gain if the routes are the same, both ends are empty, or the whole tour would move.
    if (swap.apart <= length || length + other == 0 || swap.apart + other > n - 2) return 0;
    const int x = first.t1, y = tour.at(swap.second), q = tour.at(swap.second - step);
    const int d = tour.at(swap.first + step * length), e = tour.at(swap.second + step * other);
    const int xe = tour.at(swap.first + step * (length - 1));
    const int ye = tour.at(swap.second + step * (other - 1));
    const auto write = [&](Move& to) {
      if (length > 0 && other > 0) {
        swap.write(to, {first.t2, x, xe, d, q, y, ye, e});
        return;
      }
      to.shape = Shape::kSwap;
      to.forward = step > 0;
      to.edges = 3;
      // The edges (t1, t2), (t3, t4) and (t5, t6): the two segments between them change places.
      to.t[0] = first.t2, to.t[1] = x;
      to.t[2] = other > 0 ? ye : q, to.t[3] = e;
      to.t[4] = other > 0 ? q : xe, to.t[5] = other > 0 ? y : d;
    };
    // A node is equally far from all copies of the depot, so two edges decide the gain.
    const Length removed = first.length + view.leaving(q, y);
    const Length added = view.length(first.t2, y) + view.length(q, x);
    const RouteRooms<View> rooms{view};
    if constexpr (RouteRooms<View>::kKnown) {
      if (view.may_not_gain(removed, added)) return 0;
      const auto begin = rooms.piece(first.t2, -step), its_begin = rooms.piece(q, -step);
      const auto end = rooms.piece(x, step), its_end = rooms.piece(y, step);
      const bool wrong =
          rooms.known() && rooms.apart(begin, its_end) && rooms.apart(its_begin, end) &&
          (rooms.too_much(begin.used + its_end.used) || rooms.too_much(its_begin.used + end.used));
      if (wrong) return 0;
    }
    const Length gain = view.gain(write, removed, added);
    if (gain > 0) write(move);
    return gain;
  }
};

}  // namespace gls
