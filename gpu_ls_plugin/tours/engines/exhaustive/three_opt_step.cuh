// A step of the exhaustive 3-opt climb: finds the third edge of the best pair, and applies it.
//
// Moves are the four pure reconnections of each triple of edges (reconnection.cuh), ranked by
// (delta, i, j, k, way). They include all 2-opt moves: if two edges of the triple are neighbours,
// one of the removed edges is added again. The 2-opt move of positions i < j is way 1 of the triple
// (i, j, j + 1) and of (i - 1, i, j), or way 3 of (0, i, n - 1). The climb takes the one of these
// that ranks first.
//
// With a = t[i], b = t[i+1], c = t[j], d = t[j+1], e = t[k], f = t[k+1], changes are added up as
//
//   way 0   (((be - ef) + cf) + ad) - (ab + cd)        way 2   ((bf + (ce - ef)) + ad) - (ab + cd)
//   way 1   (((be - ef) + df) + ac) - (ab + cd)        way 3   (((ae - ef) + cf) + bd) - (ab + cd)
//   way 1 with d = e, a 2-opt move:   (bd + ac) - (ab + cd)
//
// in this order everywhere, so that all kernels compute the same floating-point changes, to the
// last bit. The innermost sums depend on k. Since rounding is monotone, the least change of a pair
// (i, j) results from the least inner sums. With lengths P(x, y) between positions, and
// e(k) = P(k, k+1), the least inner sums are entries of two (min, +) products:
//
//   M(r, s) = min over k > s of (P(r, k) - e(k)) + P(s, k+1)
//   N(r, s) = min over k > s of P(r, k+1) + (P(s, k) - e(k))
//
// The ways that add ad need M(i+1, j) and N(i+1, j). Those that add ac need M(i+1, j+1), and those
// that add bd need M(i, j).
#pragma once

#include "tours/problem/metric.cuh"
#include "tours/moves/reconnection.cuh"
#include "tours/moves/two_opt.cuh"

namespace gls {

// Lengths between the ends of three edges ab, cd and ef.
template <class Value>
struct TripleLengths {
  Value ac, ad, bd, ae, be, ce, bf, cf, df, ef;
  Value removed;  // ab + cd
  bool meet;      // d is e

  // Writes the change by each way.
  GLS_DEVICE void changes(Value (&change)[kPureReconnections]) const {
    const Value added = be - ef;
    change[0] = ((added + cf) + ad) - removed;
    change[1] = ((meet ? bd : added + df) + ac) - removed;
    change[2] = ((bf + (ce - ef)) + ad) - removed;
    change[3] = (((ae - ef) + cf) + bd) - removed;
  }
};

// "No sum": larger than any inner sum of an improving move, and far from overflow.
constexpr int kNarrowNone = 1 << 30;
constexpr int64 kWideNone = int64(1) << 62;
constexpr double kRealNone = 1e300;

// Value is the type of lengths and changes: int if sums of three lengths fit, otherwise the type of
// the metric.
template <class Metric, class Value>
struct ThreeOptStep {
  static constexpr bool kReal = Value(0.5) != Value(0);
  static constexpr Value kNone = Value(kReal                ? kRealNone
                                       : sizeof(Value) == 4 ? double(kNarrowNone)
                                                            : double(kWideNone));

  const Metric metric;
  Tour<int> tour;

  GLS_DEVICE static Value least(Value a, Value b) { return b < a ? b : a; }

  // Returns the length between the cities at two positions.
  GLS_DEVICE Value length(int p, int q) const { return Value(metric(tour[p], tour[q])); }

  // Returns the least change of a pair, from its least sums and the lengths that do not depend on
  // k.
  GLS_DEVICE static Value change(Value sum_ad, Value sum_ac, Value sum_bd, Value ac, Value ad,
                                 Value bd, Value removed) {
    return least(least(sum_ad + ad, least(sum_ac, bd) + ac), sum_bd + bd) - removed;
  }

  // Returns the least (delta, k, way) of the triples with the edges after positions i < j.
  template <class Team>
  GLS_DEVICE Ranked<Value> third_edge(const Team& team, int i, int j) const {
    const int b = i + 1, d = j + 1;
    const Value ac = length(i, j), ad = length(i, d), bd = length(b, d);
    const Value removed = length(i, b) + length(j, d);
    return team.least(tour.n - d, Ranked<Value>{0, 0}, [&](int s) {
      const int e = d + s, f = tour.next(e);
      Value changes[kPureReconnections];
      TripleLengths<Value>{ac,           ad,           bd,           length(i, e),
                           length(b, e), length(j, e), length(b, f), length(j, f),
                           length(d, f), length(e, f), removed,      s == 0}
          .changes(changes);
      Ranked<Value> best{changes[0], int64(e) * kPureReconnections};
      for (int way = 1; way < kPureReconnections; ++way) {
        if (changes[way] < best.value) best = {changes[way], int64(e) * kPureReconnections + way};
      }
      return best;
    });
  }

  // Applies the best move of the best pair, (delta, i n + j), and returns true; returns false if no
  // move gains. A floating-point gain that could be a rounding error does not count.
  template <class Team>
  GLS_DEVICE bool take(const Team& team, Ranked<Value> pair) const {
    if (!(pair.value < 0)) return false;
    const int i = int(pair.index / tour.n), j = int(pair.index % tour.n);
    const Ranked<Value> third = third_edge(team, i, j);
    if (!(third.value < 0)) return false;  // an estimate was off by more than its bound
    const int k = int(third.index / kPureReconnections);
    if constexpr (kReal) {
      const Value removed = length(i, i + 1) + length(j, j + 1) + length(k, tour.next(k));
      if (third.value > removed * Value(-1e-12)) return false;
      team.sync();  // all lanes have read the ends
    }
    const Reconnection move{i, j, k, int(third.index % kPureReconnections)};
    move.apply(team, tour);
    return true;
  }
};

}  // namespace gls
