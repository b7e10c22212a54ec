// Or-opt at a city: up to `max_length` neighbouring cities move elsewhere (Or 1976).
//
// Either the segment begins at t2 and is put next to t3, or it begins at t3 and is put between t1
// and t2; in both cases t4 may stand on either side of t3. A variant is one of these four, with all
// lengths, which share the cities they run over.
#pragma once

#include "neighbourhoods/move.cuh"

namespace gls {

template <int max_length, bool reversing>
struct OrOptMove {
  GLS_DEVICE static int variants(int) { return reversing ? 4 : 2; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    const auto path = view.path(first);
    const int at3 = path.step(first.t3), n = view.tour.n;
    const bool at_t2 = variant % 2 == 0, turns = variant >= 2;
    const int at4 = turns ? at3 - 1 : at3 + 1, t4 = path.at(at4);
    // The segment runs away from its first city; it must end before t4 or t3, or within the path.
    const int begin = at_t2 ? 0 : at3, ahead = at_t2 || turns ? 1 : -1;
    const int room = at_t2 ? (turns ? at4 : at3) : turns ? n - 1 - at3 : at3;
    const Length removed = first.length + view.leaving(t4, first.t3);
    const Length added = first.length - first.gain;
    Length best = 0;
    int last = at_t2 ? first.t2 : first.t3;
#pragma unroll
    for (int length = 1; length <= max_length; ++length) {
      const int behind = path.at(begin + (length <= room ? length * ahead : 0));
      const int t5 = at_t2 ? last : behind, t6 = at_t2 ? behind : last;
      const auto write = [&](Move& to) {
        to.set(first, turns ? Shape::kFlips : Shape::kSwap, 3, t4, t5, t6);
      };
      const Length gain =
          view.gain(write, removed + view.leaving(t6, t5),
                    added + view.length(t4, t5) + view.length(t6, first.t1), length <= room);
      if (length <= room && gain > best) {
        best = gain;
        write(move);
      }
      last = behind;
    }
    return best;
  }

  static constexpr bool kSharesLengths = true;
  template <class View, class Length, class Take>
  GLS_DEVICE static void each_gain(const View& view, const FirstStep<Length>& first, Take take) {
    const auto path = view.path(first);
    const int n = view.tour.n, at3 = path.step(first.t3), place3 = view.tour.place(first.t3);
    // The cities from t2 on, and from t3 on towards t1 and t2.
    int front[max_length + 1], up[max_length + 1], down[max_length + 1];
    GLS_UNROLL
    for (int k = 0; k <= max_length; ++k) {
      const int steps = k >= n ? 0 : first.forward ? k : -k;
      front[k] = view.tour.at(path.begin + steps);
      up[k] = view.tour.at(place3 + steps);
      down[k] = view.tour.at(place3 - steps);
    }
    const Length added = first.length - first.gain;
    const Length removed_up = first.length + view.leaving(up[1], first.t3);
    const Length removed_down = reversing ? first.length + view.leaving(down[1], first.t3) : 0;
    Length best[4] = {};
    const auto offer = [&](int variant, bool fits, int t4, int t5, int t6, Length removed,
                           Length added) {
      const auto write = [&](Move& to) {
        to.set(first, variant < 2 ? Shape::kSwap : Shape::kFlips, 3, t4, t5, t6);
      };
      const Length gain = view.gain(write, removed, added, fits);
      if (fits && gain > best[variant]) best[variant] = gain;
    };
    GLS_UNROLL
    for (int length = 1; length <= max_length; ++length) {
      const int last = front[length - 1], next = front[length];  // of a segment from t2 on
      const Length removed = view.leaving(next, last), closed = view.length(next, first.t1);
      offer(0, length <= at3, up[1], last, next, removed_up + removed,
            added + view.length(up[1], last) + closed);
      offer(1, length <= at3, up[1], down[length], down[length - 1],
            removed_up + view.leaving(down[length - 1], down[length]),
            added + view.length(up[1], down[length]) + view.length(down[length - 1], first.t1));
      if constexpr (reversing) {
        offer(2, length < at3, down[1], last, next, removed_down + removed,
              added + view.length(down[1], last) + closed);
        offer(3, length < n - at3, down[1], up[length], up[length - 1],
              removed_down + view.leaving(up[length - 1], up[length]),
              added + view.length(down[1], up[length]) + view.length(up[length - 1], first.t1));
      }
    }
    GLS_UNROLL
    for (int variant = 0; variant < variants(0); ++variant) take(variant, best[variant]);
  }
};

}  // namespace gls
