// A set of cities: a bit for each.
#pragma once

#include "tours/tour_memory.cuh"

namespace gls {

struct CitySet {
  int n;
  uint32* bits;

  template <class Memory>
  GLS_DEVICE CitySet(int n, Memory& memory) : n(n), bits(memory.template take<uint32>(words(n))) {}

  GLS_DEVICE static int64 bytes(int n) { return piece_bytes<uint32>(words(n)); }

  // Becomes the set of city(i) for i in [0, count).
  template <class Team, class City>
  GLS_DEVICE void fill(const Team& team, int count, City city) {
    team.each(words(n), [&](int word) { bits[word] = 0; });
    team.sync();
    team.each(count, [&](int i) { team.set_bit(bits, city(i)); });
    team.sync();
  }
  GLS_DEVICE bool has(int city) const { return bits[city / 32] >> city % 32 & 1; }

 private:
  GLS_DEVICE static int words(int n) { return (n + 31) / 32; }
};

}  // namespace gls
