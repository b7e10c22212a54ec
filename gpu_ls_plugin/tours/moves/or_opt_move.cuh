// Or-opt at a city (Or 1976): moves up to `max_length` consecutive cities elsewhere.
//
// The segment either begins at t2 and is put next to t3, or begins at t3 and is put between t1 and
// t2; in both cases t4 may be on either side of t3. Each of these four cases is a variant, which
// covers all lengths of the segment.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

template <int max_length, bool reversing>
struct OrOptMove {
  static constexpr int kMostEdges = 3;

  GLS_DEVICE static int variants(int) { return kVariants; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    const auto path = view.path(first);
    const int at3 = path.step(first.t3), n = view.tour.n;
    const bool at_t2 = variant % 2 == 0, turns = variant >= 2;
    const int at4 = turns ? at3 - 1 : at3 + 1, t4 = path.at(at4);
    // The segment must end before it reaches t4, t3 or the end of the path.
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
    const Around at(view, first);
    Length best[kVariants] = {};
    each_move(view, first, at,
              [&](int variant, int length, bool fits, Length removed, Length added) {
                const auto write = [&](Move& to) { at.write(to, first, variant, length); };
                const Length gain = view.gain(write, removed, added, fits);
                if (fits && gain > best[variant]) best[variant] = gain;
              });
    GLS_UNROLL
    for (int variant = 0; variant < kVariants; ++variant) take(variant, best[variant]);
  }

 private:
  static constexpr int kVariants = reversing ? 4 : 2;

  // The cities from t2 on, and from t3 on in both directions.
  struct Around {
    int front[max_length + 1], up[max_length + 1], down[max_length + 1];
    int at3;  // step of t3

    template <class View, class Length>
    GLS_DEVICE Around(const View& view, const FirstStep<Length>& first) {
      const auto path = view.path(first);
      const int n = view.tour.n, place3 = view.tour.place(first.t3);
      at3 = path.step(first.t3);
      GLS_UNROLL
      for (int k = 0; k <= max_length; ++k) {
        const int steps = k >= n ? 0 : first.forward ? k : -k;
        front[k] = view.tour.at(path.begin + steps);
        up[k] = view.tour.at(place3 + steps);
        down[k] = view.tour.at(place3 - steps);
      }
    }

    // Returns the cities of a variant's segments, from their common first city on.
    GLS_DEVICE const int* segment(int variant) const {
      return variant % 2 == 0 ? front : variant >= 2 ? up : down;
    }
    GLS_DEVICE int t4(int variant) const { return variant >= 2 ? down[1] : up[1]; }

    template <class Length>
    GLS_DEVICE void write(Move& to, const FirstStep<Length>& first, int variant, int length) const {
      const int last = segment(variant)[length - 1], next = segment(variant)[length];
      const bool at_t2 = variant % 2 == 0;
      to.set(first, variant >= 2 ? Shape::kFlips : Shape::kSwap, 3, t4(variant),
             at_t2 ? last : next, at_t2 ? next : last);
    }
  };

  // Calls use(variant, length, fits, removed, added) for all moves of a first step. `fits` tells
  // whether the segment is short enough; `removed` and `added` are the lengths of edges.
  template <class View, class Length, class Use>
  GLS_DEVICE static void each_move(const View& view, const FirstStep<Length>& first,
                                   const Around& at, Use use) {
    const int n = view.tour.n, at3 = at.at3, t1 = first.t1;
    const int *const front = at.front, *const up = at.up, *const down = at.down;
    const Length near = first.length - first.gain;
    const Length removed_up = first.length + view.leaving(up[1], first.t3);
    const Length removed_down = reversing ? first.length + view.leaving(down[1], first.t3) : 0;
    GLS_UNROLL
    for (int length = 1; length <= max_length; ++length) {
      const int last = front[length - 1], next = front[length];  // around a segment's end
      const Length leaving = view.leaving(next, last), closed = view.length(next, t1);
      use(0, length, length <= at3, removed_up + leaving, near + view.length(up[1], last) + closed);
      use(1, length, length <= at3, removed_up + view.leaving(down[length - 1], down[length]),
          near + view.length(up[1], down[length]) + view.length(down[length - 1], t1));
      if constexpr (reversing) {
        use(2, length, length < at3, removed_down + leaving,
            near + view.length(down[1], last) + closed);
        use(3, length, length < n - at3, removed_down + view.leaving(up[length - 1], up[length]),
            near + view.length(down[1], up[length]) + view.length(up[length - 1], t1));
      }
    }
  }
};

}  // namespace gls
