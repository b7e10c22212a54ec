// A Lin-Kernighan step at a city (Lin and Kernighan 1973): a chain of exchanges, each of which
// keeps the sum of the gains positive, closed where the tour is shortest.
//
// The first three exchanges are tried in breadth, with both choices of t4; from there on the chain
// is extended greedily. Nothing is reversed until a gain is proven: the tour in between is a Trail.
#pragma once

#include "three_opt_move.cuh"
#include "trail.cuh"

namespace gls {

// Chains of up to `depth` edges; `breadth` candidates are tried as t5.
template <int depth, int breadth>
struct LinKernighanMove {
  static_assert(depth >= 3 && depth <= kMaxExchange, "a chain has 3 to kMaxExchange edges");

  GLS_DEVICE static int variants(int degree) {
    return 1 + 3 * (breadth < degree ? breadth : degree);
  }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    if (variant == 0) return TwoOptMove::gain(view, first, 0, move);
    const int way = (variant - 1) % 3, rank = (variant - 1) / 3;  // way 2: the second t6
    const ThirdEdge third(view.path(first), first.t3, way > 0);
    const Length removed = first.length + view.length(third.t4, first.t3);
    return chain(view, first, third, removed, rank, way == 2, move);
  }

  static constexpr bool kSharesLengths = true;
  template <class View, class Length, class Take>
  GLS_DEVICE static void each_gain(const View& view, const FirstStep<Length>& first, Take take) {
    Move unused;
    take(0, TwoOptMove::gain(view, first, 0, unused));
    const int ranks = variants(view.candidates.degree) / 3;
    for (int behind = 0; behind < 2; ++behind) {
      const ThirdEdge third(view.path(first), first.t3, behind);
      const Length removed = first.length + view.length(third.t4, first.t3);
      for (int rank = 0; rank < ranks; ++rank) {
        for (int second = 0; second <= behind; ++second) {
          take(1 + 3 * rank + behind + second,
               chain(view, first, third, removed, rank, second, unused));
        }
      }
    }
  }

 private:
  // The chain that takes candidate number `rank` of t4 as t5 and the first or second t6.
  template <class View, class Length>
  GLS_DEVICE static Length chain(const View& view, const FirstStep<Length>& first,
                                 const ThirdEdge& third, Length removed, int rank, bool second,
                                 Move& move) {
    using Lengths = typename View::Lengths;
    const auto path = view.path(first);
    const int64 entry = int64(third.t4) * view.candidates.degree + rank;
    const Length added = first.length - first.gain + view.candidates.lengths[entry];
    if (removed <= added) return 0;
    const int t5 = view.candidates.cities[entry], at5 = path.step(t5);
    const int at6 = third.step6(at5, second);
    if (at6 < 0) return 0;
    const int t6 = path.at(at6);
    removed += view.length(t6, t5);
    move.set(first, third.shape(second), 3, third.t4, t5, t6);
    Length best = Lengths::gain(removed, added + view.length(t6, first.t1));
    if constexpr (depth > 3) {
      const int last = view.tour.n - 1;
      extend(view, first, opened(move.shape, third.at3, at5, last), removed, added, best, move);
    }
    return best;
  }

  template <class View, class Length>
  GLS_DEVICE static void extend(const View& view, const FirstStep<Length>& first,
                                Trail<depth> trail, Length removed, Length added, Length& best,
                                Move& move) {
    using Lengths = typename View::Lengths;
    const auto path = view.path(first);
    const int last = view.tour.n - 1;
    int end = move.t[5];
    GLS_UNROLL
    for (int level = 4; level <= depth; ++level) {
      Length longest = 0, length_in = 0, length_out = 0;
      int from = -1, to = -1;
      const int64 row = int64(end) * view.candidates.degree;
#pragma unroll 1
      for (int rank = 0; rank < view.candidates.degree; ++rank) {
        const Length in = view.candidates.lengths[row + rank];
        if (removed <= added + in) continue;
        const int city = view.candidates.cities[row + rank], at = path.step(city);
        const int before = trail.before(at);
        // A new edge, and one that leaves: neither the edge of the free end nor one at t1.
        if (before < 0 || at == last) continue;
        const int next = path.at(before);
        if (next == end) continue;
        const Length out = view.length(next, city);
        const Length change = out - in;
        const bool better = from < 0 || change > longest;  // selected: a branch is hard to predict
        longest = better ? change : longest;
        length_in = better ? in : length_in;
        length_out = better ? out : length_out;
        from = better ? at : from;
        to = better ? before : to;
      }
      if (from < 0) return;
      added += length_in;
      removed += length_out;
      end = path.at(to);
      move.t[2 * level - 2] = path.at(from);
      move.t[2 * level - 1] = end;
      const Length closed = Lengths::gain(removed, added + view.length(end, first.t1));
      if (closed > best) best = closed, move.edges = level;
      if (level < depth) trail.turn(to, from);
    }
  }

  // The path from t6 to t1 after three exchanges, in steps of the path from t2 to t1.
  GLS_DEVICE static Trail<depth> opened(Shape shape, int at3, int at5, int last) {
    Trail<depth> trail;
    if (shape == Shape::kSwap) {
      trail.append(at5 + 1, at3);
      trail.append(0, at5);
      trail.append(at3 + 1, last);
    } else if (shape == Shape::kTurn) {
      trail.append(at5 - 1, 0);
      trail.append(at3, at5);
      trail.append(at3 + 1, last);
    } else if (at5 < at3) {
      trail.append(at5 + 1, at3 - 1);
      trail.append(at5, 0);
      trail.append(at3, last);
    } else {
      trail.append(at5 - 1, at3);
      trail.append(0, at3 - 1);
      trail.append(at5, last);
    }
    return trail;
  }
};

}  // namespace gls
