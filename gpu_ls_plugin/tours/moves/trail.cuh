// A path made of pieces of another path. It represents the changed tour while a deep move is built.
//
//   Trail(last)            has no pieces yet; the original path has steps 0 to `last`
//   append(from, to)       appends the piece between two steps; three pieces make a path
//   before(step)           the step before `step` on the trail; -1 if the original path has no edge
//                          between them
//   turn(last, next)       reverses the beginning of the trail up to step `last`; `next` is the
//                          step after `last`
#pragma once

#include "backends/include/team.cuh"

namespace gls {

#ifdef __CUDACC__

// At most `kPieces` pieces: ranges of steps of the original path, some reversed. All loops are
// unrolled, so that the pieces stay in registers.
template <int kPieces>
struct Trail {
  GLS_DEVICE explicit Trail(int) {}

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

#else

// A trail on a CPU, in memory. Pieces are sorted by their steps; a lookup takes one comparison per
// piece.
template <int kPieces>
struct Trail {
  int low[kPieces + 1];  // first step of each piece; unused entries hold `last` + 1
  int rank[kPieces];     // position on the trail
  bool turned[kPieces];
  int count = 0;

  explicit Trail(int last) {
    for (int& step : low) step = last + 1;
  }

  void append(int from, int to) {
    const int first = from < to ? from : to;
    int piece = count;
    for (; piece > 0 && low[piece - 1] > first; --piece) move(piece - 1, piece);
    low[piece] = first;
    rank[piece] = count++;
    turned[piece] = from > to;
  }

  int before(int step) const {
    const int piece = of(step), other = turned[piece] ? step + 1 : step - 1;
    return low[piece] <= other && other < low[piece + 1] ? other : -1;
  }

  void turn(int last, int next) {
    const int cut = of(last), front_rank = rank[cut];
    for (int piece = count; piece > cut; --piece) move(piece - 1, piece);
    const bool back_is_behind = next > last;
    low[cut + 1] = back_is_behind ? next : last;
    ++count;
    for (int piece = 0; piece < count; ++piece) rank[piece] += rank[piece] > front_rank;
    ++rank[cut + back_is_behind];
    for (int piece = 0; piece < count; ++piece) {
      const bool front = rank[piece] <= front_rank;
      rank[piece] = front ? front_rank - rank[piece] : rank[piece];
      turned[piece] ^= front;
    }
  }

 private:
  // The piece that holds a step.
  int of(int step) const {
    int piece = 0;
    for (int p = 1; p < kPieces; ++p) piece += low[p] <= step;
    return piece;
  }
  void move(int from, int to) {
    low[to] = low[from], rank[to] = rank[from], turned[to] = turned[from];
  }
};

#endif

}  // namespace gls
