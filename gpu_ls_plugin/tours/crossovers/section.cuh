// A path of a tour by its places, around the end of the array perhaps: a tour has none.
#pragma once

#include "backends/include/philox.cuh"

namespace gls {

struct Section {
  int n, begin, cities;

  // Any path but the whole tour, if there is more than one city; all are equally likely.
  GLS_DEVICE static Section drawn(Philox& random, int n) {
    const int begin = int(random.below(uint32(n)));
    return {n, begin, 1 + int(random.below(uint32(n - 1)))};
  }

  // The place so many steps, at most n, behind the first one.
  GLS_DEVICE int place(int step) const {
    const int place = begin + step;
    return place < n ? place : place - n;
  }
  GLS_DEVICE bool holds(int place) const {
    return place - begin + (place < begin ? n : 0) < cities;
  }
  // The places behind it, up to where it begins.
  GLS_DEVICE Section rest() const { return {n, place(cities), n - cities}; }
};

}  // namespace gls
