// 3-opt at a city (Lin 1965): the 2-opt move and, for each neighbour of t3 as t4, the moves with
// each candidate of t4 as t5. They include all four pure reconnections (reconnection.cuh).
#pragma once

#include "tours/moves/two_opt_move.cuh"

namespace gls {

// The choice of t4, and the choices of t6 that it allows.
struct ThirdEdge {
  int at3, at4, t4;
  bool behind;  // whether t4 follows t3

  template <class Path>
  GLS_DEVICE ThirdEdge(const Path& path, int t3, bool behind)
      : at3(path.step(t3)), at4(behind ? at3 + 1 : at3 - 1), t4(path.at(at4)), behind(behind) {}

  // Sets the step of t6 for t5 at step `at5`. If there is no such move, sets some valid step and
  // returns false. If t4 follows t3, there are two choices of t6; the second one reverses both
  // paths.
  GLS_DEVICE bool step6(int at5, bool second, int& at6) const {
    if (behind) {
      at6 = second ? (at5 > 0 ? at5 - 1 : 0) : at5 + 1;
      return (at5 < at3) & (!second | (at5 > 0));
    }
    at6 = at5 > at3 ? at5 - 1 : at5 + 1;
    return !second & (at5 != at3) & ((at5 > at3) | (at6 < at4));  // the edge (t4, t5) must be new
  }
  GLS_DEVICE Shape shape(bool second) const {
    return !behind ? Shape::kFlips : second ? Shape::kTurn : Shape::kSwap;
  }
};

// If moves may reverse paths, variant 0 is 2-opt. Each other variant combines a choice of t4 with
// every `strides(degree)`-th candidate as t5.
template <bool reversing>
struct ThreeOptMove {
  static constexpr int kSides = reversing ? 2 : 1;
  static constexpr int kEach = 4;  // maximum number of candidates per variant in long lists

  GLS_DEVICE static int variants(int degree) { return reversing + kSides * strides(degree); }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    if (reversing && variant == 0) return TwoOptMove::gain(view, first, 0, move);
    const int choice = variant - reversing;
    Length best = 0;
    go_on(view, first, !reversing || choice % kSides == 1, choice / kSides,
          strides(view.candidates.degree), [&](int, Length gain, auto write) {
            if (gain <= best) return;
            best = gain;
            write(move);
          });
    return best;
  }

  static constexpr bool kSharesLengths = true;
  template <class View, class Length, class Take>
  GLS_DEVICE static void each_gain(const View& view, const FirstStep<Length>& first, Take take) {
    Move unused;
    if (reversing) take(0, TwoOptMove::gain(view, first, 0, unused));
    const int count = strides(view.candidates.degree);
    for (int side = 0; side < kSides; ++side) {
      go_on(view, first, !reversing || side == 1, 0, 1, [&](int rank, Length gain, auto) {
        take(reversing + rank % count * kSides + side, gain);
      });
    }
  }

 private:
  // Number of variants, one lane each, that share the candidates of t4.
  GLS_DEVICE static int strides(int degree) {
    return degree < 4 ? degree : degree <= 4 * kEach ? 4 : (degree + kEach - 1) / kEach;
  }

  // Calls use(rank, gain, write) for each move with this t4 and its candidate number `rank` as t5.
  template <class View, class Length, class Use>
  GLS_DEVICE static void go_on(const View& view, const FirstStep<Length>& first, bool behind,
                               int begin, int stride, Use use) {
    const auto path = view.path(first);
    const ThirdEdge third(path, first.t3, behind);
    const Length removed = first.length + view.leaving(third.t4, first.t3);
    const Length added = first.length - first.gain;
    const auto& candidates = view.candidates;
    const auto row = candidates.entry(third.t4, 0);
#pragma unroll 1
    for (int rank = begin; rank < candidates.degree; rank += stride) {
      const Length now_added = added + candidates.length(row + rank);
      if (removed <= now_added) {
        if (candidates.sorted) break;
        continue;
      }
      const int t5 = candidates.city(row + rank), at5 = path.step(t5);
#pragma unroll
      for (int second = 0; second < kSides; ++second) {
        int at6;
        if (!third.step6(at5, second, at6)) continue;
        const int t6 = path.at(at6);
        const auto write = [&](Move& to) {
          to.set(first, third.shape(second), 3, third.t4, t5, t6);
        };
        use(rank,
            view.gain(write, removed + view.leaving(t6, t5), now_added + view.length(t6, first.t1)),
            write);
      }
    }
  }
};

}  // namespace gls
