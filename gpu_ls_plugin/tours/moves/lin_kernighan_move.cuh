// A Lin-Kernighan step at a city (Lin and Kernighan 1973): a chain of exchanges whose partial sums
// of gains are positive, closed after the exchange that makes the tour shortest.
//
// The first three exchanges are tried in breadth, with both neighbours of t3 as t4; then the chain
// is extended greedily. The tour does not change until a gain is certain; a Trail represents the
// changed tour.
#pragma once

#include "tours/moves/three_opt_move.cuh"
#include "tours/moves/trail.cuh"

namespace gls {

// Chains of up to `depth` edges. There is a variant for each of `breadth` candidates as t5, with t4
// on both sides of t3. The first variant includes the 2-opt move.
template <int depth, int breadth>
struct LinKernighanMove {
  static_assert(depth >= 3 && depth <= kMaxExchange, "a chain must have 3 to kMaxExchange edges");

  static constexpr int kMostEdges = depth;

  GLS_DEVICE static int variants(int degree) { return breadth < degree ? breadth : degree; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    Length best = 0;
#pragma unroll(kStraight ? 2 : 1)
    for (int behind = 0; behind < 2; ++behind) {
      const ThirdEdge third(view.path(first), first.t3, behind);
      go_on(view, first, third, removed(view, first, third), variant, best, move);
    }
    return best;
  }

  static constexpr bool kSharesLengths = true;
  template <class View, class Length, class Take>
  GLS_DEVICE static void each_gain(const View& view, const FirstStep<Length>& first, Take take) {
    const int count = variants(view.candidates.degree);
    Move unused;
    for (int behind = 0; behind < 2; ++behind) {
      const ThirdEdge third(view.path(first), first.t3, behind);
      const Length out = removed(view, first, third);
      for (int variant = 0; variant < count; ++variant) {
        Length best = 0;
        go_on(view, first, third, out, variant, best, unused);
        take(variant, best);
      }
    }
  }

 protected:
  // Whether to compute all ways without branches and drop the impossible ones at the end. Branches
  // save no time on a GPU, since some lane of the warp takes each branch. Chains of more than three
  // edges would need too many registers.
  static constexpr bool kStraight = kOnDevice && depth == 3;

  template <class View, class Length>
  GLS_DEVICE static Length removed(const View& view, const FirstStep<Length>& first,
                                   const ThirdEdge& third) {
    return first.length + view.leaving(third.t4, first.t3);
  }

  // Tries the moves with this t4 and its candidate number `rank` as t5.
  template <class View, class Length>
  GLS_DEVICE static void go_on(const View& view, const FirstStep<Length>& first,
                               const ThirdEdge& third, Length removed, int rank, Length& best,
                               Move& move) {
    const auto path = view.path(first);
    Length added = first.length - first.gain;
    if (!third.behind && (kStraight || rank == 0)) {
      const auto write = [&](Move& to) {
        to.set(first, Shape::kFlips, 2, third.t4, third.t4, third.t4);
      };
      const Length closed =
          view.gain(write, removed, added + view.length(third.t4, first.t1), rank == 0);
      if (rank == 0 && closed > best) {
        best = closed;
        write(move);
      }
    }
    const auto entry = view.candidates.entry(third.t4, rank);
    added += view.candidates.length(entry);
    const bool open = removed > added;
    if (!kStraight && !open) return;
    const int t5 = view.candidates.city(entry), at5 = path.step(t5);
#pragma unroll(kStraight ? 2 : 1)
    for (int second = 0; second <= third.behind; ++second) {
      int at6;
      const bool possible = third.step6(at5, second, at6) & open;
      if (!kStraight && !possible) return;
      const int t6 = path.at(at6);
      const Shape shape = third.shape(second);
      const Length all_removed = removed + view.leaving(t6, t5);
      const auto write = [&](Move& to) { to.set(first, shape, 3, third.t4, t5, t6); };
      Length gain = view.gain(write, all_removed, added + view.length(t6, first.t1), possible);
      if constexpr (depth == 3) {
        if (!possible || gain <= best) continue;
        best = gain;
        write(move);
      } else {
        Move deeper;
        write(deeper);
        extend(view, first, opened(shape, third.at3, at5, view.tour.n - 1), all_removed, added,
               gain, deeper);
        if (gain > best) best = gain, move = deeper;
      }
    }
  }

  // Extends a chain of three edges greedily. Updates `best` and `move` if closing a longer chain
  // gains more.
  template <class View, class Length>
  GLS_DEVICE static void extend(const View& view, const FirstStep<Length>& first,
                                Trail<depth> trail, Length removed, Length added, Length& best,
                                Move& move) {
    const auto path = view.path(first);
    const int last = view.tour.n - 1;
    int end = move.t[5];
#pragma unroll  // on a device
    for (int level = 4; level <= depth; ++level) {
      Length longest = 0, length_in = 0, length_out = 0;
      int from = -1, to = -1;
#pragma unroll 1
      for (int rank = 0; rank < view.candidates.degree; ++rank) {
        const auto entry = view.candidates.entry(end, rank);
        const Length in = view.candidates.length(entry);
        if (removed <= added + in) {
          if (!kOnDevice && view.candidates.sorted) break;  // a warp waits for its last lane anyway
          continue;
        }
        const int city = view.candidates.city(entry), at = path.step(city);
        const int before = trail.before(at);
        // The removed edge must be in the original path and not at t1; the added one must be new.
        if (before < 0 || at == last) continue;
        const int next = path.at(before);
        if (next == end) continue;
        const Length out = view.leaving(next, city);
        const Length change = out - in;
        const bool better = from < 0 || change > longest;  // without hard-to-predict branches
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
      const int edges_of_best = move.edges;
      move.edges = level;
      const Length closed = view.gain(move, removed, added + view.length(end, first.t1));
      if (closed > best)
        best = closed;
      else
        move.edges = edges_of_best;
      if (level < depth) trail.turn(to, from);
    }
  }

  // Returns the path from t6 to t1 after three exchanges, in steps of the original path from t2 to
  // t1.
  GLS_DEVICE static Trail<depth> opened(Shape shape, int at3, int at5, int last) {
    Trail<depth> trail(last);
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
