// The cuts of a move, and which moves can be applied together.
//
// Two moves are independent if all cuts of one lie between two neighbouring cuts of the other. Then
// they rearrange disjoint stretches, or one works within a stretch that the other moves or reverses
// as a whole. A move that relocates a segment (Or-opt, or-3opt) keeps the order of the rest. So it
// is independent of each move that cuts neither its segment, nor the edges at its ends, nor its
// target edge. Any set of pairwise independent moves yields a tour, and their gains add up: without
// the relocated segments, the cuts of the other moves do not cross, and each target edge still
// exists.
#pragma once

#include "tours/moves/move.cuh"

namespace gls {

struct Cuts {
  static constexpr int kUsual = 3;  // this many entries of `at` are always set

  int count;               // number of removed edges
  int ends[kMaxExchange];  // per edge: 2 * (place before it), + 1 if the edge is listed backward
  int first, length;       // first cut and length of the relocated segment; length < 0: no segment
  int at[kMaxExchange];    // places of the other cuts, ascending; unused entries repeat the first

  GLS_DEVICE int place(int edge) const { return ends[edge] >> 1; }

  // Find the cuts in three steps: find(edge) and sort(edge) for each edge, then find_segment. All
  // lanes must finish a step before the next one begins.
  template <class City>
  GLS_DEVICE void find(const RingTour<City>& tour, const Move& move, int edge) {
    const Edge cut = move.ends_out(edge);
    const int place = tour.place(move.t[cut.from]), other = tour.place(move.t[cut.to]);
    const bool behind = tour.wrap_high(place + 1) != other;
    ends[edge] = 2 * (behind ? other : place) + behind;
  }
  GLS_DEVICE void sort(int edges, int edge) {
    const int own = place(edge);
    int rank = 0;
    for (int other = 0; other < edges; ++other) rank += place(other) < own;
    at[rank] = own;
    if (rank > 0) return;
    for (int more = edges; more < kUsual; ++more) at[more] = own;
  }
  template <class City>
  GLS_DEVICE void find_segment(const RingTour<City>& tour, const Move& move) {
    count = move.edges;
    first = 0, length = -1;
    if (count != 3) return;
    // Of the three segments, finds the shortest whose neighbours the move joins.
    const int places[3] = {at[0], at[1], at[2]};
    int before[3], behind[3], t[6];
    GLS_UNROLL
    for (int k = 0; k < 3; ++k) {
      before[k] = tour.at(places[k]), behind[k] = tour.at(places[k] + 1);
      t[2 * k] = move.t[2 * k], t[2 * k + 1] = move.t[2 * k + 1];
    }
    int shortest = tour.n, begin = 0, target = 0;
    GLS_UNROLL
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3, a = before[k], b = behind[next];
      bool joined = false;
      GLS_UNROLL
      for (int e = 0; e < 3; ++e) {
        const int c = t[2 * e + 1], d = t[(2 * e + 2) % 6];
        joined |= ((a == c) & (b == d)) | ((a == d) & (b == c));
      }
      const int span = tour.wrap_low(places[next] - places[k]);
      if (joined & (span < shortest)) {
        shortest = span, begin = places[k], target = places[(k + 2) % 3];
      }
    }
    if (shortest == tour.n) return;
    first = begin, length = shortest;
    at[0] = at[1] = at[2] = target;
  }

  GLS_DEVICE bool independent(const Cuts& other, int n) const {
    bool apart =
        !(length >= 0 && other.holds(first, n)) && !(other.length >= 0 && holds(other.first, n));
    each([&](int place) { apart &= !other.holds(place, n); });
    int gap = -1;  // gap between cuts of this move that contains all cuts of the other
    const int all = count > kUsual ? count : kUsual;
    other.each([&](int place) {
      int below = 0;
      each([&](int own) {
        apart &= own != place;
        below += own < place;
      });
      below = below == all ? 0 : below;
      apart &= !holds(place, n) & (gap < 0 || gap == below);
      gap = below;
    });
    return apart;
  }

 private:
  template <class F>
  GLS_DEVICE void each(F f) const {
    GLS_UNROLL
    for (int i = 0; i < kUsual; ++i) f(at[i]);
#pragma unroll 1
    for (int i = kUsual; i < count; ++i) f(at[i]);
  }
  GLS_DEVICE bool holds(int place, int n) const {
    return (place < first ? place + n : place) - first <= length;
  }
};

}  // namespace gls
