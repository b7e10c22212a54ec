// The exchange move at a city: swaps a segment X of up to `most` cities with a segment Y of up to
// `others` cities elsewhere (CROSS exchange: Taillard et al. 1997).
//
// p X s .. q Y r becomes p Y s .. q X r, like a double bridge with outer segments X and Y. In
// variant 0, t2 is p and t3 is the first city of Y; in variant 1, t2 is the first city of X and t3
// is q.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

// The cities p, x .. xe, s, q, y .. ye, r, with X from x to xe and Y from y to ye.
struct SwapEnds {
  int p, x, xe, s, q, y, ye, r;
};

// Two segments X and Y to swap, in a tour that is read forward (step 1) or backward (step -1).
struct SegmentSwap {
  int step, first, second;  // the places of the first cities of X and Y
  int apart;                // steps between these places

  template <class City>
  GLS_DEVICE SegmentSwap(const RingTour<City>& tour, int step, int first, int second)
      : step(step), first(first), second(second), apart(tour.wrap_low(step * (second - first))) {}

  // Whether there is at least one city between X and Y, and between Y and X.
  GLS_DEVICE bool fits(int length, int other, int n) const {
    return length < apart && apart + other <= n - 2;
  }
  GLS_DEVICE void write(Move& to, const SwapEnds& at) const {
    to.shape = Shape::kCross;
    to.forward = step > 0;
    to.edges = 4;
    to.t[0] = at.x, to.t[1] = at.xe, to.t[2] = at.s, to.t[3] = at.q, to.t[4] = at.y;
    to.t[5] = at.ye, to.t[6] = at.p, to.t[7] = at.r;
  }
};

template <int most, int others, bool reversing>
struct ExchangeMove {
  static constexpr bool kOwnEnds = true;
  static constexpr int kMostEdges = 4;

  GLS_DEVICE static int variants(int) { return reversing ? 2 : 1; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    const auto& tour = view.tour;
    const bool inside = variant == 1;  // t2 is the first city of X
    const int step = (first.forward != 0) == inside ? 1 : -1, n = tour.n;
    const int place3 = tour.place(first.t3);
    const SegmentSwap swap(tour, step, tour.place(inside ? first.t2 : first.t1),
                           inside ? tour.wrap(place3 + step) : place3);
    const int p = inside ? first.t1 : first.t2, x = inside ? first.t2 : first.t1;
    const int q = inside ? first.t3 : tour.at(place3 - step), y = tour.at(swap.second);
    const Length removed = first.length + view.leaving(q, y);
    const Length added = view.length(p, y) + view.length(q, x);
    Length best = 0;
    int xe = x;
#pragma unroll 1
    for (int length = 1; length <= most && swap.fits(length, 1, n); ++length) {
      const int s = tour.at(swap.first + step * length);
      const Length its_removed = removed + view.leaving(xe, s);
      int ye = y;
#pragma unroll 1
      for (int other = 1; other <= others && swap.fits(length, other, n); ++other) {
        const int r = tour.at(swap.second + step * other);
        const auto write = [&](Move& to) { swap.write(to, {p, x, xe, s, q, y, ye, r}); };
        const Length gain = view.gain(write, its_removed + view.leaving(ye, r),
                                      added + view.length(ye, s) + view.length(xe, r));
        if (gain > best) {
          best = gain;
          write(move);
        }
        ye = r;
      }
      xe = s;
    }
    return best;
  }
};

}  // namespace gls
