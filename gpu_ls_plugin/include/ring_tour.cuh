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

  // A place from -n to 2 n - 1 on the ring: what is not on it is no less than 2^31 - n or so, read
  // as an unsigned number.
  GLS_DEVICE int wrap(int place) const { return lesser(wrap_low(place), place - n); }
  GLS_DEVICE int wrap_low(int place) const { return lesser(place, place + n); }   // from -n on
  GLS_DEVICE int wrap_high(int place) const { return lesser(place, place - n); }  // from 0 on
  GLS_DEVICE int at(int place) const { return int(order[wrap(place)]); }
  GLS_DEVICE int place(int city) const { return int(position[city]); }

  // Reverses the `length` places from `first` on.
  template <class Team>
  GLS_DEVICE void reverse(const Team& team, int first, int length) const {
    team.each(length / 2, [&](int s) {
      const int left = wrap_high(first + s), right = wrap_high(first + length - 1 - s);
      const City a = order[left], b = order[right];
      order[left] = b;
      order[right] = a;
      position[b] = City(left);
      position[a] = City(right);
    });
    team.sync();
  }

 private:
  GLS_DEVICE static int lesser(int a, int b) { return int(uint32(a) < uint32(b) ? a : b); }
};

// The tour without the edge (end, begin), read from `begin` on.
template <class City>
struct Path {
  const RingTour<City>& tour;
  int begin;     // place of the first city
  bool forward;  // whether the path runs in the direction of the tour

  GLS_DEVICE int at(int step) const { return tour.at(forward ? begin + step : begin - step); }
  GLS_DEVICE int step(int city) const {
    return tour.wrap_low(forward ? tour.place(city) - begin : begin - tour.place(city));
  }
};

}  // namespace gls
