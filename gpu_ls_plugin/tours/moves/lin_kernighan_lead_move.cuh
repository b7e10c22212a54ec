// A Lin-Kernighan step that extends only one chain. The first three exchanges are tried in breadth;
// then the chain with the largest sum of gains, the lead, is extended.
#pragma once

#include "tours/moves/lin_kernighan_move.cuh"

namespace gls {

// Like LinKernighanMove, with one variant per first step.
template <int depth, int breadth>
struct LinKernighanLeadMove : LinKernighanMove<depth, breadth> {
  static_assert(depth > 3, "only chains of more than three edges have a lead");
  GLS_DEVICE static int variants(int) { return 1; }

  template <class View, class Length, class Take>
  GLS_DEVICE static void each_gain(const View& view, const FirstStep<Length>& first, Take take) {
    Move unused;
    take(0, gain(view, first, 0, unused));
  }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int, Move& move) {
    Length best = 0;
    Lead<Length> lead{0, 0, Shape::kFlips, 0, 0, -1, 0, 0};
#pragma unroll 1
    for (int behind = 0; behind < 2; ++behind) look(view, first, behind, best, move, lead);
    if (best > 0 || lead.t6 < 0) return best;  // a gain of up to three edges is taken at once
    Move deeper;
    deeper.set(first, lead.shape, 3, lead.t4, lead.t5, lead.t6);
    LinKernighanMove<depth, breadth>::extend(
        view, first,
        LinKernighanMove<depth, breadth>::opened(lead.shape, lead.at3, lead.at5, view.tour.n - 1),
        lead.removed, lead.added, best, deeper);
    if (best > 0) move = deeper;
    return best;
  }

 private:
  template <class Length>
  struct Lead {
    Length removed, added;
    Shape shape;
    int t4, t5, t6, at3, at5;
  };

  // Tries the chains of up to three exchanges with t4 on one side of t3.
  template <class View, class Length>
  GLS_DEVICE static void look(const View& view, const FirstStep<Length>& first, bool behind,
                              Length& best, Move& move, Lead<Length>& lead) {
    const auto path = view.path(first);
    const auto& candidates = view.candidates;
    const Length first_added = first.length - first.gain;
    const int count = breadth < candidates.degree ? breadth : candidates.degree;
    const ThirdEdge third(path, first.t3, behind);
    const Length removed = first.length + view.leaving(third.t4, first.t3);
    if (!behind) {
      const auto write = [&](Move& to) {
        to.set(first, Shape::kFlips, 2, third.t4, third.t4, third.t4);
      };
      const Length closed =
          view.gain(write, removed, first_added + view.length(third.t4, first.t1));
      if (closed > best) best = closed, write(move);
    }
    const auto row = candidates.entry(third.t4, 0);
#pragma unroll 1
    for (int rank = 0; rank < count; ++rank) {
      const Length added = first_added + candidates.length(row + rank);
      if (removed <= added) {
        if (candidates.sorted) break;
        continue;
      }
      const int t5 = candidates.city(row + rank), at5 = path.step(t5);
#pragma unroll 1
      for (int second = 0; second <= behind; ++second) {
        int at6;
        if (!third.step6(at5, second, at6)) continue;
        const int t6 = path.at(at6);
        const Shape shape = third.shape(second);
        const Length out = removed + view.leaving(t6, t5);
        const auto write = [&](Move& to) { to.set(first, shape, 3, third.t4, t5, t6); };
        const Length closed = view.gain(write, out, added + view.length(t6, first.t1));
        if (closed > best) best = closed, write(move);
        if (out - added > lead.removed - lead.added)
          lead = {out, added, shape, third.t4, t5, t6, third.at3, at5};
      }
    }
  }
};

}  // namespace gls
