// 3-opt at a city on candidates: the 2-opt move, and for both choices of t4 every candidate t5 of
// it: all four pure reconnections (Lin 1965).
#pragma once

#include "move.cuh"

namespace gls {

// The six ends of a move of three edges (t4 = t5 = t6: of two).
struct Ends {
  Shape shape;
  int t4, t5, t6;
};

template <bool reversing>
struct ThreeOptMove {
  static constexpr int kWays = reversing ? 3 : 1;
  GLS_DEVICE static int variants(int degree) { return reversing + kWays * degree; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    Ends ends;
    if (!ThreeOptMove::ends(view, first, variant, ends)) return 0;
    const bool three = !reversing || variant > 0;
    Length removed = first.length + view.length(ends.t4, first.t3);
    Length added = first.length - first.gain;
    if (three) {
      added += view.length(ends.t4, ends.t5);
      if (removed <= added) return 0;
      removed += view.length(ends.t6, ends.t5);
    }
    move.set(first, ends.shape, three ? 3 : 2, ends.t4, ends.t5, ends.t6);
    return View::Lengths::gain(removed, added + view.length(ends.t6, first.t1));
  }

  // The ends of a variant; false where it is no move.
  template <class View, class Length>
  GLS_DEVICE static bool ends(const View& view, const FirstStep<Length>& first, int variant,
                              Ends& ends) {
    const auto path = view.path(first);
    const int at3 = path.step(first.t3);
    if (reversing && variant == 0) {
      const int t4 = path.at(at3 - 1);
      ends = {Shape::kFlips, t4, t4, t4};
      return true;
    }
    const int way = reversing ? (variant - 1) % 3 : 1, rank = (variant - reversing) / kWays;
    const int at4 = way == 0 ? at3 - 1 : at3 + 1;
    const int t4 = path.at(at4);
    const int t5 = view.candidates.cities[int64(t4) * view.candidates.degree + rank];
    const int at5 = path.step(t5);
    const bool inside = at5 < at3;
    const bool ahead = way == 1 || (way == 0 && inside);  // t6 behind t5, else before it
    const int at6 = ahead ? at5 + 1 : at5 - 1;
    ends = {way == 0   ? Shape::kFlips
            : way == 1 ? Shape::kSwap
                       : Shape::kTurn,
            t4, t5, path.at(at6)};
    // The edge (t4, t5) must be new, and with t4 behind t3 only an edge of t2 .. t3 can leave.
    return way == 0 ? at5 != at3 && (!inside || at6 < at4) : inside && at6 >= 0;
  }
};

}  // namespace gls
