// Order crossover (Davis 1985): a section of the first parent stays in place. The other cities
// follow it, wrapping around the end of the array, in the order of the second parent, which is read
// from the place after the section on.
#pragma once

#include "backends/include/bit_set.cuh"
#include "backends/include/in_order.cuh"
#include "runs/crossovers/pairs.cuh"
#include "backends/include/section.cuh"

namespace gls {

template <class City>
struct OrderCrossover {
  int n;
  BitSet kept;

  template <class Memory>
  GLS_DEVICE OrderCrossover(int n, Memory& memory) : n(n), kept(n, memory) {}

  GLS_DEVICE static int64 bytes(int n) { return BitSet::bytes(n); }

  template <class Team, class Child>
  GLS_DEVICE void cross(const Team& team, const int* first, const int* second, Philox& random,
                        Child child) {
    const Section section = Section::drawn(random, n), rest = section.rest();
    kept.fill(team, section.cities, [&](int i) {
      const int p = section.place(i), city = first[p];
      child(p, city);
      return city;
    });
    put_kept(
        team, n, [&](int i) { return !kept.has(second[rest.place(i)]); },
        [&](int rank, int i) { child(rest.place(rank), second[rest.place(i)]); });
  }
};

}  // namespace gls
