// A tour as the two neighbours of every city: what is left of a parent of whom only edges matter.
#pragma once

#include "include/team.cuh"

namespace gls {

template <class City>
struct Neighbours {
  City before, after;

  GLS_DEVICE bool has(int city) const { return int(before) == city || int(after) == city; }
};

template <class Team, class City>
struct NoteNeighbours {
  GLS_DEVICE static void run(const Team& team, int item, int n, const int* tours,
                             void* neighbours) {
    const int* tour = tours + int64(item) * n;
    auto* noted = static_cast<Neighbours<City>*>(neighbours) + int64(item) * n;
    team.each(n, [&](int p) {
      noted[tour[p]] = {City(tour[p > 0 ? p - 1 : n - 1]), City(tour[p + 1 < n ? p + 1 : 0])};
    });
  }
};

}  // namespace gls
