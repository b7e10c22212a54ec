// A tour that knows where each city stands.
#pragma once

#include "tours/kernels/tour.cuh"

namespace gls {

// Which of two places, a round apart, is on the ring: read as unsigned numbers, it is the lesser.
GLS_DEVICE int on_ring(int a, int b) { return int(uint32(a) < uint32(b) ? a : b); }

// City is uint16 (shared memory) or int (global memory).
template <class City>
struct RingTour {
  City* order;
  City* position;
  int n;

  // A place from -n to 2 n - 1 on the ring.
  GLS_DEVICE int wrap(int place) const { return on_ring(wrap_low(place), place - n); }
  GLS_DEVICE int wrap_low(int place) const { return on_ring(place, place + n); }   // from -n on
  GLS_DEVICE int wrap_high(int place) const { return on_ring(place, place - n); }  // from 0 on
  GLS_DEVICE int at(int place) const { return int(order[wrap(place)]); }
  GLS_DEVICE int place(int city) const { return int(position[city]); }

  // Becomes the tour of a row.
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

  // Puts three segments of b, c and d cities, from place `first` on, in the order d, c, b; `spare`
  // has room for all of them.
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

// The tour without one of its edges, read from one end of it to the other.
template <class City>
struct Path {
  const RingTour<City>& tour;
  int sign;    // 1 where the path runs in the direction of the tour, else -1
  int begin;   // place of the first city
  int origin;  // the same or a round before, so that all steps lead to places from -n on

  GLS_DEVICE Path(const RingTour<City>& tour, int first, bool forward)
      : tour(tour),
        sign(forward ? 1 : -1),
        begin(tour.place(first)),
        origin(forward ? begin - tour.n : begin) {}

  // Of a step from 0 to n.
  GLS_DEVICE int at(int step) const { return int(tour.order[tour.wrap_low(origin + sign * step)]); }
  GLS_DEVICE int step(int city) const { return tour.wrap_low(sign * (tour.place(city) - begin)); }
};

}  // namespace gls
