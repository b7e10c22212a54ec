// A tour with the position of each city.
#pragma once

#include "tours/kernels/tour.cuh"

namespace gls {

// Returns the one of two places, n apart, that is on the ring (0 .. n - 1): compared as unsigned
// numbers, it is the lower one.
GLS_DEVICE int on_ring(int a, int b) { return int(uint32(a) < uint32(b) ? a : b); }

// City is uint16 in shared memory and int in global memory.
template <class City>
struct RingTour {
  City* order;
  City* position;
  int n;

  // These map a place to the ring: `wrap` from -n .. 2 n - 1, `wrap_low` from -n .. n - 1,
  // `wrap_high` from 0 .. 2 n - 1.
  GLS_DEVICE int wrap(int place) const { return on_ring(wrap_low(place), place - n); }
  GLS_DEVICE int wrap_low(int place) const { return on_ring(place, place + n); }
  GLS_DEVICE int wrap_high(int place) const { return on_ring(place, place - n); }
  GLS_DEVICE int at(int place) const { return int(order[wrap(place)]); }
  GLS_DEVICE int place(int city) const { return int(position[city]); }

  // Reads the tour from a row of n cities.
  template <class Team>
  GLS_DEVICE void read(const Team& team, const int* row) const {
    team.each(n, [&](int place) {
      const int city = row[place];
      order[place] = City(city);
      position[city] = City(place);
    });
  }

  // Reverses the `length` places from `first` on.
  template <class Team>
  GLS_DEVICE void reverse(const Team& team, int first, int length) const {
    team.each(length >> 1, [&](int s) {
      const int left = wrap_high(first + s), right = wrap_high(first + length - 1 - s);
      const City a = order[left], b = order[right];
      order[left] = b;
      order[right] = a;
      position[b] = City(left);
      position[a] = City(right);
    });
    team.sync();
  }

  // Reverses the order of three consecutive segments of b, c and d cities, which begin at place
  // `first`: the last segment becomes the first. `spare` must have room for b + c + d cities.
  template <class Team>
  GLS_DEVICE void swap_segments(const Team& team, int first, int b, int c, int d,
                                City* spare) const {
    const int count = b + c + d;
    team.each(count, [&](int step) {
      const int shift = step < d ? b + c : step < d + c ? b - d : -c - d;
      spare[step] = order[wrap_high(first + step + shift)];
    });
    team.sync();
    team.each(count, [&](int step) {
      const int place = wrap_high(first + step);
      const City city = spare[step];
      order[place] = city;
      position[city] = City(place);
    });
    team.sync();
  }
};

// The tour without one of its edges, as a path from one end of the edge to the other.
template <class City>
struct Path {
  const RingTour<City>& tour;
  int sign;    // 1 if the path runs in the direction of the tour, otherwise -1
  int begin;   // place of the first city
  int origin;  // `begin` or `begin` - n, so that steps lead to places from -n to n - 1

  GLS_DEVICE Path(const RingTour<City>& tour, int first, bool forward)
      : tour(tour),
        sign(forward ? 1 : -1),
        begin(tour.place(first)),
        origin(forward ? begin - tour.n : begin) {}

  // `at` returns the city at a step from 0 to n, `step` the step of a city.
  GLS_DEVICE int at(int step) const { return int(tour.order[tour.wrap_low(origin + sign * step)]); }
  GLS_DEVICE int step(int city) const { return tour.wrap_low(sign * (tour.place(city) - begin)); }
};

}  // namespace gls
