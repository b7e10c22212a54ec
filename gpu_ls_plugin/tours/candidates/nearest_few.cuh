// The nearest neighbours of a city, found by one lane that looks at all other cities.
#pragma once

#include "tours/candidates/near_cities.cuh"

namespace gls {

// The nearest of the offered cities; ties go to the lower number.
template <class Length, int most>
struct NearestFew {
  Length lengths[most];
  int cities[most];
  int size = 0;

  GLS_DEVICE bool before(Length length, int city, int rank) const {
    return length < lengths[rank] || (!(lengths[rank] < length) && city < cities[rank]);
  }

  // Inserts a city if it is among the `room` nearest so far.
  GLS_DEVICE void offer(Length length, int city, int room) {
    if (room == 0 || (size == room && !before(length, city, size - 1))) return;
    int at = size < room ? size++ : room - 1;
    for (; at > 0 && before(length, city, at - 1); --at) {
      lengths[at] = lengths[at - 1];
      cities[at] = cities[at - 1];
    }
    lengths[at] = length;
    cities[at] = city;
  }
  GLS_DEVICE bool holds(int city) const {
    for (int rank = 0; rank < size; ++rank) {
      if (cities[rank] == city) return true;
    }
    return false;
  }
};

// Writes the lists of a city, from entry `first` on. A list that is too short repeats its last
// city.
template <class Lists, class Length, int most>
GLS_DEVICE void put_nearest(const NearestFew<Length, most>& found, int degree, int64 first,
                            void* near, void* near_lengths) {
  for (int rank = 0; rank < degree; ++rank) {
    const int taken = rank < found.size ? rank : found.size - 1;
    Lists::put(near, near_lengths, first + rank, found.cities[taken], found.lengths[taken]);
  }
}

// The nearest neighbours of a city: the same number from each quadrant, then the nearest others,
// sorted by length and number.
template <class Length, int most>
struct NearestInQuadrants {
  static_assert(most >= 4, "a list must have room for a city of each quadrant");
  NearestFew<Length, most> nearest;
  NearestFew<Length, most / 4> quadrants[4];

  // Offers a city at (dx, dy), relative to the city whose neighbours are sought.
  GLS_DEVICE void offer(Length length, int city, double dx, double dy, int degree) {
    nearest.offer(length, city, degree);
    quadrants[quadrant(dx, dy)].offer(length, city, degree / 4);
  }
  GLS_DEVICE NearestFew<Length, most> chosen(int degree) const {
    NearestFew<Length, most> listed;
    for (int q = 0; q < 4; ++q) {
      for (int rank = 0; rank < quadrants[q].size; ++rank) {
        listed.offer(quadrants[q].lengths[rank], quadrants[q].cities[rank], degree);
      }
    }
    for (int rank = 0; rank < nearest.size && listed.size < degree; ++rank) {
      const int city = nearest.cities[rank];
      bool known = false;
      for (int q = 0; q < 4; ++q) known = known || quadrants[q].holds(city);
      if (!known) listed.offer(nearest.lengths[rank], city, degree);
    }
    return listed;
  }
};

}  // namespace gls
