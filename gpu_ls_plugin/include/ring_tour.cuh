// A tour that knows where each city stands.
#pragma once

#include "tour.cuh"

namespace gls {

// City is uint16 (shared memory) or int (global memory).
template <class City>
struct RingTour {
  City* order;
  City* position;
  int n;

  GLS_DEVICE int wrap(int place) const {
    return place < 0 ? place + n : place < n ? place : place - n;
  }
  GLS_DEVICE int at(int place) const { return int(order[wrap(place)]); }
  GLS_DEVICE int place(int city) const { return int(position[city]); }

  // Reverses the `length` places from `first` on.
  template <class Team>
  GLS_DEVICE void reverse(const Team& team, int first, int length) const {
    team.each(length / 2, [&](int s) {
      const int left = wrap(first + s), right = wrap(first + length - 1 - s);
      const City a = order[left], b = order[right];
      order[left] = b;
      order[right] = a;
      position[b] = City(left);
      position[a] = City(right);
    });
    team.sync();
  }
};

// The tour without the edge (end, begin), read from `begin` on.
template <class City>
struct Path {
  const RingTour<City>& tour;
  int begin;     // place of the first city
  bool forward;  // whether the path runs in the direction of the tour

  GLS_DEVICE int at(int step) const { return tour.at(forward ? begin + step : begin - step); }
  GLS_DEVICE int step(int city) const {
    const int ahead = forward ? tour.place(city) - begin : begin - tour.place(city);
    return ahead < 0 ? ahead + tour.n : ahead;
  }
};

}  // namespace gls
