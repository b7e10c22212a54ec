// The nodes next to which a customer may go, and how a warp chooses the best of them.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// The list of near nodes of each customer; the depot may be among them.
struct NearNodes {
  const int* near;
  int near_each;  // number of near nodes per customer

  GLS_DEVICE int operator()(int customer, int rank) const {
    return near[customer * near_each + rank];
  }
};

// A value with an index of 32 bits. Of equal values, the one with the smaller index is less.
template <class Value>
struct Rated {
  Value value;
  uint32 index;

  GLS_DEVICE bool operator<(const Rated& other) const {
    return value < other.value || (value == other.value && index < other.index);
  }
};

#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
GLS_DEVICE Rated<int> least_in_warp(Rated<int> mine) {
  const int value = __reduce_min_sync(kAllLanes, mine.value);
  const uint32 index = mine.value == value ? mine.index : 0xffffffffu;
  return {value, __reduce_min_sync(kAllLanes, index)};
}
#endif

}  // namespace gls
