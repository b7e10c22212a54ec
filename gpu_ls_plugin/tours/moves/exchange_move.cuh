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
  static constexpr int kListed = most * others;
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
    if constexpr (asks_seldom<View>()) {
      // One of these two edges belongs to the first step, so its length is `near`. If lengths are
      // real, `near` has a rounding error, and both are measured.
      const Length near = first.length - first.gain;
      const Length added = View::Lengths::kReal
                               ? view.length(p, y) + view.length(q, x)
                               : near + view.length(inside ? p : q, inside ? y : x);
      return gain_of_routes(view, swap, {p, x, q, y}, first.length, added, move);
    }
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

 private:
  // The cities before X and Y, and the first cities of X and Y.
  struct Fronts {
    int p, x, q, y;
  };

  // The cities of the longest segment that begins at a city, the city after the segment, and the
  // lengths of the edges between them.
  template <class Length, int size>
  struct Stretch {
    int cities[size + 1];
    Length leaving[size], longest = 0;

    template <class View>
    GLS_DEVICE Stretch(const View& view, int city, int place, int step) {
      cities[0] = city;
      GLS_UNROLL
      for (int i = 0; i < size; ++i) {
        cities[i + 1] = view.tour.at(place + (i + 1 < view.tour.n ? step * (i + 1) : 0));
        leaving[i] = view.leaving(cities[i], cities[i + 1]);
        longest = leaving[i] > longest ? leaving[i] : longest;
      }
    }
  };

  // The gain under an objective: computes all lengths without branches, then calls the objective
  // for the few moves that can still gain. `removed` and `added` are the lengths known so far.
  template <class View, class Length>
  GLS_DEVICE static Length gain_of_routes(const View& view, const SegmentSwap& swap,
                                          const Fronts& at, Length removed, Length added,
                                          Move& move) {
    const Stretch<Length, most> xs(view, at.x, swap.first, swap.step);
    const Stretch<Length, others> ys(view, at.y, swap.second, swap.step);
    removed += view.leaving(at.q, at.y);
    // The two other added edges have lengths of at least 0. If no swap gains with lengths of 0, no
    // swap gains at all. Terms are added in the order of the loop below, so that rounding agrees.
    if (view.may_not_gain(removed + xs.longest + ys.longest, added)) return 0;
    Length its_removed[most][others], its_added[most][others];
    uint64 left = 0;  // bit others * i + j: swapping i + 1 and j + 1 cities may gain
    GLS_UNROLL
    for (int i = 0; i < most; ++i) {
      GLS_UNROLL
      for (int j = 0; j < others; ++j) {
        its_removed[i][j] = removed + xs.leaving[i] + ys.leaving[j];
        its_added[i][j] = added + view.length(ys.cities[j], xs.cities[i + 1]) +
                          view.length(xs.cities[i], ys.cities[j + 1]);
        const bool fits = swap.fits(i + 1, j + 1, view.tour.n);
        left |= uint64(fits & !view.may_not_gain(its_removed[i][j], its_added[i][j]))
                << (others * i + j);
      }
    }
    Length best = 0;
    for (; left != 0; left &= left - 1) {
      const uint32 low = uint32(left);
      const int pair = low != 0 ? lowest_bit(low) : 32 + lowest_bit(uint32(left >> 32));
      const int i = pair / others, j = pair % others;
      const auto write = [&](Move& to) {
        swap.write(to, {at.p, at.x, xs.cities[i], xs.cities[i + 1], at.q, at.y, ys.cities[j],
                        ys.cities[j + 1]});
      };
      const Length gain = view.gain(write, its_removed[i][j], its_added[i][j]);
      if (gain > best) best = gain, write(move);
    }
    return best;
  }
};

}  // namespace gls
