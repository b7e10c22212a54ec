// 3-opt on positions: remove the edges after positions i < j < k and join the three paths in
// another way.
//
//   a b ... c d ... e f      a, c, e are at i, j, k; b, d, f follow them
//     first   second         paths i+1 .. j and j+1 .. k
//
// Ways 0 to 3 are the pure 3-opt moves, which change all three edges; 4 to 6 are 2-opt moves.
#pragma once

#include "tours/kernels/tour.cuh"

namespace gls {

constexpr int kPureReconnections = 4;
constexpr int kReconnections = 7;

struct Reconnection {
  int i, j, k, way;

  // The position of an end: 0 = a ... 5 = f.
  GLS_DEVICE int position(int end, int n) const {
    const int p = end < 2 ? i : end < 4 ? j : k;
    return end % 2 == 0 ? p : p + 1 < n ? p + 1 : 0;
  }

  // The three added edges, as pairs of the six ends (0 = a ... 5 = f) in hexadecimal; the first
  // edge is in the lowest two digits. A prime marks a reversed path.
  GLS_DEVICE static constexpr int edges(int way) {
    return way == 0   ? 0x251403   // second, first           a-d e-b c-f
           : way == 1 ? 0x351402   // first', second'         a-c b-e d-f
           : way == 2 ? 0x152403   // second, first'          a-d e-c b-f
           : way == 3 ? 0x251304   // second', first          a-e d-b c-f
           : way == 4 ? 0x451302   // first', second          a-c b-d e-f
           : way == 5 ? 0x352401   // first, second'          a-b c-e d-f
                      : 0x152304;  // second', first'         a-e d-c b-f
  }

  // The added edges of a pure move, sorted by the removed edges that they join: first and second,
  // second and third, first and third.
  GLS_DEVICE static constexpr int edges_by_joined(int way) {
    int ordered = 0;
    for (int pairs = edges(way); pairs != 0; pairs >>= 8) {
      const int from = pairs >> 4 & 15, to = pairs & 15, joined = from / 2 + to / 2;
      ordered |= (pairs & 0xff) << (joined == 1 ? 0 : joined == 3 ? 8 : 16);
    }
    return ordered;
  }

  // Length of the added edges; `length(x, y)` takes two of the six ends.
  template <class Length, class F>
  GLS_DEVICE static Length added(int way, F length) {
    const int pairs = edges(way);
    return length(pairs >> 4 & 15, pairs & 15) + length(pairs >> 12 & 15, pairs >> 8 & 15) +
           length(pairs >> 20 & 15, pairs >> 16 & 15);
  }

  // Applies the move with at most three reversals.
  template <class Team, class Tour>
  GLS_DEVICE void apply(const Team& team, Tour tour) const {
    const int first = tour.next(i), p = j - i, q = k - j;
    if (way == 0 || way == 2 || way == 3 || way == 6) {
      tour.reverse(team, first, p + q);  // second', first'
      if (way == 0 || way == 2) tour.reverse(team, first, q);
      if (way == 0 || way == 3) tour.reverse(team, tour.wrap(first + q), p);
    } else {
      if (way == 1 || way == 4) tour.reverse(team, first, p);
      if (way == 1 || way == 5) tour.reverse(team, tour.next(j), q);
    }
  }
};

}  // namespace gls
