// Verifies the moves of a third-party neighbourhood.
//
// A move is valid if the edges that it removes are where its shape requires them (move.cuh). A
// valid move yields a tour, and its gain is computed again from the lengths of its edges. A move
// that removes a fixed edge gains nothing. A move that is invalid, or whose claimed gain is wrong,
// is dropped; `gls_faulty_part` tells the host, which raises an error.
#pragma once

#include "tours/moves/move.cuh"

#ifdef __CUDACC__
extern "C" __device__ int gls_faulty_part = 0;  // number of the faulty part, from 1; 0: no fault
#else
extern "C" {
int gls_faulty_part = 0;
}
#endif

namespace gls {

// Whether the estimate of a length was too inexact; the caller then evaluates the move again.
template <class Lengths>
GLS_DEVICE bool in_doubt(const Tentative<Lengths>& lengths) {
  return lengths.doubt();
}
template <class Lengths>
GLS_DEVICE bool in_doubt(const Lengths&) {
  return false;
}

// The path of a move after some of its edges have been exchanged.
template <class View, class Length = typename View::Length>
struct MovePath {
  Path<typename View::City> path;
  int flips[kMaxExchange];
  int count = 0;
  Shape shape = Shape::kFlips;
  int first, both;  // lengths of the first swapped segment and of both together

  GLS_DEVICE MovePath(const View& view, const FirstStep<Length>& first) : path(view.path(first)) {}

  GLS_DEVICE int step(int city) const {
    int at = path.step(city);
    if (shape != Shape::kFlips && at < both) {
      const bool behind = at >= first;
      at = shape == Shape::kSwap ? (behind ? at - first : at + both - first)
                                 : (behind ? both + first : first) - 1 - at;
    }
    for (int flip = 0; flip < count; ++flip) {
      if (at <= flips[flip]) at = flips[flip] - at;
    }
    return at;
  }

  // Reverses the beginning of the path up to `last`; returns false if `last` does not precede `t`.
  GLS_DEVICE bool flip(int t, int last) {
    const int at = step(t);
    if (at == 0 || step(last) != at - 1) return false;
    flips[count++] = at - 1;
    return true;
  }
  // Swaps two segments, or reverses each of them. The second and third removed edge delimit the
  // segments. Returns false if the cities do not fit the shape.
  GLS_DEVICE bool move_segments(Shape its_shape, int t3, int t4, int t5, int t6) {
    const int at3 = step(t3), at5 = step(t5), at6 = step(t6);
    const bool swaps = its_shape == Shape::kSwap;
    if (step(t4) != at3 + 1 || at5 > at3 || at6 > at3 || at6 != (swaps ? at5 + 1 : at5 - 1))
      return false;
    shape = its_shape, first = swaps ? at6 : at5, both = at3 + 1;
    return true;
  }
};

// Whether a move has at most `most` edges, begins with the first step and fits its shape.
template <int most, class View, class Length>
GLS_DEVICE bool is_real(const View& view, const FirstStep<Length>& first, const Move& move) {
  const int* const t = move.t;
  const bool flips = move.shape == Shape::kFlips;
  if (move.shape >= Shape::kBridge || move.forward != first.forward) return false;
  if (move.edges < (flips ? 2 : 3) || move.edges > most) return false;
  if (t[0] != first.t1 || t[1] != first.t2 || t[2] != first.t3) return false;
  for (int i = 3; i < 2 * move.edges; ++i) {
    if (t[i] < 0 || t[i] >= view.tour.n) return false;
  }
  MovePath<View, Length> path(view, first);
  if (!flips && !path.move_segments(move.shape, t[2], t[3], t[4], t[5])) return false;
  for (int edge = flips ? 1 : 3; edge < move.edges; ++edge) {
    if (!path.flip(t[2 * edge], t[2 * edge + 1])) return false;
  }
  return true;
}

// A neighbourhood whose moves are verified; `number` identifies it in `gls_faulty_part`.
template <class Neighbourhood, int number>
struct Checked {
  static constexpr int kMostEdges = MostEdges<Neighbourhood>::kValue;
  static_assert(kMostEdges <= kMaxExchange, "a move may remove at most kMaxExchange edges");
  GLS_DEVICE static int variants(int degree) { return Neighbourhood::variants(degree); }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    const Length said = Neighbourhood::gain(view, first, variant, move);
    if (!(said > 0)) return 0;
    if (!is_real<kMostEdges>(view, first, move)) return fault();
    Length removed = 0, added = 0;
    for (int edge = 0; edge < move.edges; ++edge) {
      const int t = move.t[2 * edge], other = move.t[2 * edge + 1];
      const int next = edge + 1 < move.edges ? move.t[2 * edge + 2] : move.t[0];
      if (view.fixed.hold(other, t)) return 0;
      removed += view.length(other, t);
      added += view.length(other, next);
    }
    const Length off = said - view.worth(move, removed - added);
    const Length rounding = View::Lengths::kReal ? removed * Length(1e-9) : Length(0);
    return (off <= rounding && -off <= rounding) || in_doubt(view.length) ? said : fault();
  }

 private:
  GLS_DEVICE static int fault() {
#ifdef __CUDACC__
    gls_faulty_part = number;
#else
    __atomic_store_n(&gls_faulty_part, number, __ATOMIC_RELAXED);
#endif
    return 0;
  }
};

}  // namespace gls
