// 2-opt at a city (Croes 1958): after the first step there is only one way to close the tour.
#pragma once

#include "tours/moves/route_rooms.cuh"

namespace gls {

struct TwoOptMove {
  static constexpr int kListed = 1;
  static constexpr int kMostEdges = 2;

  GLS_DEVICE static int variants(int) { return 1; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int, Move& move) {
    const auto path = view.path(first);
    const int t4 = path.at(path.step(first.t3) - 1);
    const Length removed = first.length + view.leaving(t4, first.t3);
    const Length added = first.length - first.gain + view.length(t4, first.t1);
    if (forbidden_by_room(view, first, t4, removed, added)) return 0;
    move.set(first, Shape::kFlips, 2, t4, t4, t4);
    return view.gain(move, removed, added);
  }

 private:
  template <class View, class Length>
  GLS_DEVICE static bool forbidden_by_room(const View& view, const FirstStep<Length>& first, int t4,
                                           Length removed, Length added) {
    const RouteRooms<View> rooms{view};
    if constexpr (RouteRooms<View>::kKnown) {
      if (view.may_not_gain(removed, added)) return true;
      const int step = first.forward ? 1 : -1;
      const auto t1 = rooms.piece(first.t1, -step), t2 = rooms.piece(first.t2, step);
      const auto t3 = rooms.piece(first.t3, step), piece4 = rooms.piece(t4, -step);
      return rooms.known() && rooms.apart(t1, t3) && rooms.apart(t2, piece4) &&
             (rooms.too_much(t2.used + t3.used) || rooms.too_much(t1.used + piece4.used));
    }
    return false;
  }
};

}  // namespace gls
