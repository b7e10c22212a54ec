// A tour: the city at each position.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// A tour of n cities in shared memory (City = uint16) or global memory (City = int).
template <class City>
struct Tour {
  City* order;
  int n;

  GLS_DEVICE int operator[](int position) const { return int(order[position]); }
  GLS_DEVICE int city(int position) const { return int(order[position]); }
  GLS_DEVICE int wrap(int position) const { return position < n ? position : position - n; }
  GLS_DEVICE int next(int position) const { return position + 1 < n ? position + 1 : 0; }

  // Reverses the `length` positions from `first` on, which may wrap around the end of the array.
  template <class Team>
  GLS_DEVICE void reverse(const Team& team, int first, int length) {
    team.each(length / 2, [&](int s) {
      const int left = wrap(first + s), right = wrap(first + length - 1 - s);
      const City city = order[left];
      order[left] = order[right];
      order[right] = city;
    });
    team.sync();
  }
};

}  // namespace gls
