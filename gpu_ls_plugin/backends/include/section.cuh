// A path of a tour as a range of places, which may wrap around the end of the array.
#pragma once

#include "backends/include/philox.cuh"

namespace gls {

struct Section {
  int n, begin, cities;

  // Draws a path with at least one and at most n - 1 cities (n = 1: one); all are equally likely.
  GLS_DEVICE static Section drawn(Philox& random, int n) {
    const int begin = int(random.below(uint32(n)));
    return {n, begin, 1 + int(random.below(uint32(n - 1)))};
  }

  // Returns the place that is `step` places after the first one; `step` is at most n.
  GLS_DEVICE int place(int step) const {
    const int place = begin + step;
    return place < n ? place : place - n;
  }
  GLS_DEVICE bool holds(int place) const {
    return place - begin + (place < begin ? n : 0) < cities;
  }
  // Returns the other places, in order, beginning after the path.
  GLS_DEVICE Section rest() const { return {n, place(cities), n - cities}; }
};

}  // namespace gls
