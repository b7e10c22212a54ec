// Exchange at a city: up to `most` neighbouring cities change places with up to `others` elsewhere
// (CROSS exchange: Taillard et al. 1997).
//
// p X s .. q Y r -> p Y s .. q X r, as a double bridge is made: X and Y are its outer segments. A
// variant says whether t2 is p, and t3 the first city of Y, or t2 is the first of X, and t3 is q.
#pragma once

#include "tours/moves/route_rooms.cuh"

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
  static constexpr int kListed = most * others;
  static constexpr int kMostEdges = 4;

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
    if constexpr (asks_seldom<View>()) {
      // One of both is the first step's, of which reals are rounded.
      const Length near = first.length - first.gain;
      const Length added = View::Lengths::kReal
                               ? view.length(p, y) + view.length(q, x)
                               : near + view.length(inside ? p : q, inside ? y : x);
      return gain_of_routes(view, swap, first.length, added, p, x, q, y, move);
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

 private:
  // The same where gains are an objective's: all lengths first, without branches, then the few
  // moves that they leave. Edges of the lengths `removed` and `added` are known.
  template <class View, class Length>
  GLS_DEVICE static Length gain_of_routes(const View& view, const SegmentSwap& swap, Length removed,
                                          Length added, int p, int x, int q, int y, Move& move) {
    const auto& tour = view.tour;
    const int step = swap.step, n = tour.n;
    int xs[most + 1], ys[others + 1];  // from x and from y on
    Length leaving[others];
    xs[0] = x, ys[0] = y, removed += view.leaving(q, y);
    Length leaving_x[most], longest = 0, longest_x = 0;
    GLS_UNROLL
    for (int j = 0; j < others; ++j) {
      ys[j + 1] = tour.at(swap.second + (j + 1 < n ? step * (j + 1) : 0));
      leaving[j] = view.leaving(ys[j], ys[j + 1]);
      longest = leaving[j] > longest ? leaving[j] : longest;
    }
    GLS_UNROLL
    for (int i = 0; i < most; ++i) {
      xs[i + 1] = tour.at(swap.first + (i + 1 < n ? step * (i + 1) : 0));
      leaving_x[i] = view.leaving(xs[i], xs[i + 1]);
      longest_x = leaving_x[i] > longest_x ? leaving_x[i] : longest_x;
    }
    // Two more edges come, however short; sums of reals are rounded in the order of those below.
    if (view.may_not_gain(removed + longest_x + longest, added)) return 0;
    Length its_removed[most][others], its_added[most][others];
    uint64 left = 0;  // pairs of lengths, as bits
    GLS_UNROLL
    for (int i = 0; i < most; ++i) {
      GLS_UNROLL
      for (int j = 0; j < others; ++j) {
        its_removed[i][j] = removed + leaving_x[i] + leaving[j];
        its_added[i][j] = added + view.length(ys[j], xs[i + 1]) + view.length(xs[i], ys[j + 1]);
        const bool fits = swap.fits(i + 1, j + 1, n);
        left |= uint64(fits & !view.may_not_gain(its_removed[i][j], its_added[i][j]))
                << (others * i + j);
      }
    }
    Length best = 0;
    for (; left != 0; left &= left - 1) {
      const uint32 low = uint32(left);
      const int pair = low != 0 ? lowest_bit(low) : 32 + lowest_bit(uint32(left >> 32));
      const int i = pair / others, j = pair % others;
      if constexpr (RouteRooms<View>::kKnown) {
        if (too_much(view, swap, p, xs, i + 1, q, ys, j + 1)) continue;
      }
      const auto write = [&](Move& to) {
        swap.write(to, p, x, xs[i], xs[i + 1], q, y, ys[j], ys[j + 1]);
      };
      const Length gain = view.gain(write, its_removed[i][j], its_added[i][j]);
      if (gain > best) {
        best = gain;
        write(move);
      }
    }
    return best;
  }

  // Whether p X s .. q Y r -> p Y s .. q X r surely makes a route use too much.
  template <class View>
  GLS_OUT_OF_LINE static bool too_much(const View& view, const SegmentSwap& swap, int p,
                                       const int* xs, int length, int q, const int* ys, int other) {
    const RouteRooms<View> rooms{view};
    if (!rooms.known()) return false;
    const int step = swap.step;
    const auto its_p = rooms.piece(p, -step), its_s = rooms.piece(xs[length], step);
    const auto its_q = rooms.piece(q, -step), its_r = rooms.piece(ys[other], step);
    if (!rooms.apart(its_s, its_q) || !rooms.apart(its_r, its_p)) return false;
    const CarriedCities<View> its_x(rooms, xs, length), its_y(rooms, ys, other);
    return its_y.too_much(rooms, its_p, its_s) || its_x.too_much(rooms, its_q, its_r);
  }
};

}  // namespace gls
