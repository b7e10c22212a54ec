// The pairs of rows that a kernel crosses.
#pragma once

#include "backends/include/philox.cuh"
#include "backends/include/pieces.cuh"

namespace gls {

// The pairs as kernel arguments. The second parent of row i is row partners[i] of `second`.
struct TourPairs {
  uint64 seed;
  int64 first_row;
  int64 generation;
  const int* first;
  const int* second;
  const int* partners;
  int* children;  // initially the first parents; kernels write only children that differ
  char* scratch;

  GLS_DEVICE const int* first_of(int item, int n) const { return first + int64(item) * n; }
  GLS_DEVICE const int* second_of(int item, int n) const {
    return second + int64(partners[item]) * n;
  }
  GLS_DEVICE int* child_of(int item, int n) const { return children + int64(item) * n; }

  // Returns the random numbers of a pair; each generation may use four numbers per place.
  GLS_DEVICE Philox random(int item, int n) const {
    Philox numbers(seed, Purpose::kOffspring, first_row + item);
    numbers.seek(generation * n);
    return numbers;
  }
};

// Crosses one pair of tours per team with a crossover that reads only rows and random numbers.
//
// `Crossover<City>` is constructed from n, the arguments `more` and memory of `bytes(n)` bytes. Its
// function cross(team, first, second, random, child) calls child(p, city) for each place p of the
// child.
template <class Team, class Memory, template <class> class Crossover>
struct CrossPairs {
  template <class... More>
  GLS_DEVICE static void run(const Team& team, int item, int n, TourPairs pairs, More... more) {
    using Chosen = Crossover<typename Memory::City>;
    Memory memory(team, item, Chosen::bytes(n), 0, pairs.scratch);
    Chosen crossover(n, more..., memory);
    Philox random = pairs.random(item, n);
    int* const child = pairs.child_of(item, n);
    crossover.cross(team, pairs.first_of(item, n), pairs.second_of(item, n), random,
                    [&](int p, int city) { child[p] = city; });
  }
};

}  // namespace gls
