// 2-opt at a city: the one way to close a path after its first step (Croes 1958).
#pragma once

#include "neighbourhoods/move.cuh"

namespace gls {

struct TwoOptMove {
  GLS_DEVICE static int variants(int) { return 1; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int, Move& move) {
    const auto path = view.path(first);
    const int t4 = path.at(path.step(first.t3) - 1);
    move.set(first, Shape::kFlips, 2, t4, t4, t4);
    return view.gain(move, first.length + view.leaving(t4, first.t3),
                     first.length - first.gain + view.length(t4, first.t1));
  }
};

}  // namespace gls
