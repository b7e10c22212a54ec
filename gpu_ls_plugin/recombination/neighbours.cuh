// A tour as the two neighbours of every city: what is left of a parent of whom only edges matter.
#pragma once

#include "include/team.cuh"

namespace gls {

template <class City>
struct Neighbours {
  City before, after;

  GLS_DEVICE bool has(int city) const { return int(before) == city || int(after) == city; }
};

// Those of the city at a place of a tour.
template <class City>
GLS_DEVICE Neighbours<City> neighbours_at(const int* tour, int n, int place) {
  return {City(tour[place > 0 ? place - 1 : n - 1]), City(tour[place + 1 < n ? place + 1 : 0])};
}

template <class Team, class City>
struct NoteNeighbours {
  GLS_DEVICE static void run(const Team& team, int item, int n, const int* tours,
                             void* neighbours) {
    const int* tour = tours + int64(item) * n;
    auto* noted = static_cast<Neighbours<City>*>(neighbours) + int64(item) * n;
    team.each(n, [&](int p) { noted[tour[p]] = neighbours_at<City>(tour, n, p); });
  }
};

}  // namespace gls
