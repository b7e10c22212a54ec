// What kernels that cross pairs of tours are told of them.
#pragma once

#include "backends/include/philox.cuh"

namespace gls {

// The second parent of a row is the row of other tours that `partners` says.
struct TourPairs {
  uint64 seed;
  int64 first_row;
  int64 generation;
  const int* first;
  const int* second;
  const int* partners;
  int* children;  // written where they are not the first parents
  char* scratch;

  GLS_DEVICE const int* first_of(int item, int n) const { return first + int64(item) * n; }
  GLS_DEVICE const int* second_of(int item, int n) const {
    return second + int64(partners[item]) * n;
  }
  GLS_DEVICE int* child_of(int item, int n) const { return children + int64(item) * n; }

  // The random numbers of a pair: four for each city and generation.
  GLS_DEVICE Philox random(int item, int n) const {
    Philox numbers(seed, Purpose::kOffspring, first_row + item);
    numbers.seek(generation * n);
    return numbers;
  }
};

}  // namespace gls
