// Exchange at a city: up to `most` neighbouring cities change places with up to `others` elsewhere
// (CROSS exchange: Taillard et al. 1997).
//
// p X s .. q Y r -> p Y s .. q X r, as a double bridge is made: X and Y are its outer segments. A
// variant says whether t2 is p, and t3 the first city of Y, or t2 is the first of X, and t3 is q.
#pragma once

#include "neighbourhoods/move.cuh"

namespace gls {

// Segments X and Y of a tour that is read by steps of one, forward or back, and change places.
struct SegmentSwap {
  int step, first, second;  // the places of the first cities of X and Y
  int apart;                // steps between them

  template <class City>
  GLS_DEVICE SegmentSwap(const RingTour<City>& tour, int step, int first, int second)
      : step(step), first(first), second(second), apart(tour.wrap_low(step * (second - first))) {}

  // Whether there are cities between the segments, before and behind.
  GLS_DEVICE bool fits(int length, int other, int n) const {
    return length < apart && apart + other <= n - 2;
  }
  GLS_DEVICE void write(Move& to, int p, int x, int xe, int s, int q, int y, int ye, int r) const {
    to.shape = Shape::kCross;
    to.forward = step > 0;
    to.edges = 4;
    to.t[0] = x, to.t[1] = xe, to.t[2] = s, to.t[3] = q, to.t[4] = y, to.t[5] = ye;
    to.t[6] = p, to.t[7] = r;
  }
};

template <int most, int others, bool reversing>
struct ExchangeMove {
  static constexpr bool kOwnEnds = true;

  GLS_DEVICE static int variants(int) { return reversing ? 2 : 1; }

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const FirstStep<Length>& first, int variant,
                                Move& move) {
    const auto& tour = view.tour;
    const bool inside = variant == 1;  // t2 is the first of X
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
        const auto write = [&](Move& to) { swap.write(to, p, x, xe, s, q, y, ye, r); };
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
