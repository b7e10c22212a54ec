// A path made of pieces of another path: what is left of a tour while a deep move is built.
#pragma once

#include "include/team.cuh"

namespace gls {

// At most `kPieces` pieces, each a range of steps of the first path, some turned round. All loops
// are unrolled, so that the pieces lie in registers.
template <int kPieces>
struct Trail {
  int low[kPieces], high[kPieces], rank[kPieces] = {};
  bool turned[kPieces] = {};
  int count = 0;

  GLS_DEVICE void append(int from, int to) {
    GLS_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      if (p != count) continue;
      turned[p] = from > to;
      low[p] = turned[p] ? to : from;
      high[p] = turned[p] ? from : to;
      rank[p] = p;
    }
    ++count;
  }

  // The step in front of `step` on the trail, -1 where the edge to it is not of the first path.
  GLS_DEVICE int before(int step) const {
    int found = -1;
    GLS_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      if (p < count && low[p] <= step && step <= high[p]) {
        found = turned[p] ? (step < high[p] ? step + 1 : -1) : (step > low[p] ? step - 1 : -1);
      }
    }
    return found;
  }

  // Turns the beginning of the trail round, as far as step `last`; `next` follows it.
  GLS_DEVICE void turn(int last, int next) {
    int cut = 0, back_low = 0, back_high = 0;
    bool back_turned = false;
    GLS_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      if (p < count && low[p] <= last && last <= high[p]) {
        cut = rank[p];
        back_turned = turned[p];
        back_low = turned[p] ? low[p] : next;
        back_high = turned[p] ? next : high[p];
        if (turned[p])
          low[p] = last;
        else
          high[p] = last;
      }
    }
    GLS_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      const bool front = rank[p] <= cut;
      rank[p] = front ? cut - rank[p] : rank[p] + 1;
      turned[p] = turned[p] != front;
      if (p == count) {
        low[p] = back_low;
        high[p] = back_high;
        rank[p] = cut + 1;
        turned[p] = back_turned;
      }
    }
    ++count;
  }
};

}  // namespace gls
