// A tour stored as the two neighbours of each city, for crossovers that only read edges.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

template <class City>
struct alignas(2 * sizeof(City)) Neighbours {
  City before, after;

  GLS_DEVICE bool has(int city) const { return int(before) == city || int(after) == city; }
  // Returns a copy in which each neighbour that `other` also has is replaced with `city`, the city
  // to which the neighbours belong.
  GLS_DEVICE Neighbours without(const Neighbours& other, int city) const {
    return {other.has(int(before)) ? City(city) : before,
            other.has(int(after)) ? City(city) : after};
  }
};

// Returns the neighbours of the city at a place of a tour.
template <class City>
GLS_DEVICE Neighbours<City> neighbours_at(const int* tour, int n, int place) {
  return {City(tour[place > 0 ? place - 1 : n - 1]), City(tour[place + 1 < n ? place + 1 : 0])};
}

// Stores the neighbours of all cities of a tour in `of`.
template <class Team, class City>
GLS_DEVICE void note_neighbours(const Team& team, int n, const int* tour, Neighbours<City>* of) {
  struct Noted {
    int city;
    Neighbours<City> its;
  };
  each_ahead(
      team, n, [&](int p) { return Noted{tour[p], neighbours_at<City>(tour, n, p)}; },
      [&](int, const Noted& noted) { of[noted.city] = noted.its; });
}

}  // namespace gls
