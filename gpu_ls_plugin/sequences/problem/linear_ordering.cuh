// Linear ordering: a sum over all pairs of items, the one before the other.
#pragma once

#include "sequences/problem/objective.cuh"

namespace gls {

template <class Entry, class Cost>
struct LinearOrdering {
  const Entry* matrix;
  const Entry* gains;  // the matrix minus its transpose; a move reads one row of it
  int n;

  GLS_DEVICE Cost pair(int first, int second) const {
    return -Cost(matrix[int64(first) * n + second]);
  }
  GLS_DEVICE Cost turned(int first, int second) const {
    return Cost(gains[int64(first) * n + second]);
  }
};

}  // namespace gls
