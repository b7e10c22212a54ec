// Partially mapped crossover (Goldberg and Lingle 1985): a section of the first parent stays in
// place, and the other places get the second parent's cities. A city that is already in the section
// is replaced by the second parent's city in the place where the first parent has it, and so on.
#pragma once

#include "runs/crossovers/pairs.cuh"
#include "backends/include/section.cuh"

namespace gls {

template <class City>
struct PartiallyMapped {
  int n;
  City* place;  // place of each city in the first parent

  template <class Memory>
  GLS_DEVICE PartiallyMapped(int n, Memory& memory) : n(n), place(memory.template take<City>(n)) {}

  GLS_DEVICE static int64 bytes(int n) { return piece_bytes<City>(n); }

  template <class Team, class Child>
  GLS_DEVICE void cross(const Team& team, const int* first, const int* second, Philox& random,
                        Child child) {
    const Section section = Section::drawn(random, n);
    team.each(n, [&](int p) { place[first[p]] = City(p); });
    team.sync();
    // No two places pass through the same city, so all loops together take O(n) steps.
    team.each(n, [&](int p) {
      int city = first[p];
      if (!section.holds(p)) {
        int at = p;
        do {
          city = second[at];
          at = int(place[city]);
        } while (section.holds(at));
      }
      child(p, city);
    });
  }
};

}  // namespace gls
