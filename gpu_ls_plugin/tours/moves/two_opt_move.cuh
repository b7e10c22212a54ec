// 2-opt at a city (Croes 1958): after the first step there is only one way to close the tour.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

struct TwoOptMove {
  static constexpr int kMostEdges = 2;

  GLS_DEVICE static int variants(int) { return 1; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int, Move& move) {
    const auto path = view.path(first);
    const int t4 = path.at(path.step(first.t3) - 1);
    const Length removed = first.length + view.leaving(t4, first.t3);
    const Length added = first.length - first.gain + view.length(t4, first.t1);
    move.set(first, Shape::kFlips, 2, t4, t4, t4);
    return view.gain(move, removed, added);
  }
};

}  // namespace gls
