// One pair of tours per team, crossed by what needs nothing but their cities and random numbers.
#pragma once

#include "tours/crossovers/pairs.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

// A `Crossover<City>` is made of n, the numbers in `more` and memory, of which it says how many
// `bytes` it takes; cross(team, first, second, random, child) calls child(p, city) for every place
// p of the child.
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
