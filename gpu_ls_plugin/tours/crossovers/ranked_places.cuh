// A set of places of a tour; `rank` returns how many places of the set are before a given place.
#pragma once

#include "backends/include/team.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

template <class Count>
struct RankedPlaces {
  int words;
  uint32* bits;
  Count* before;  // number of places of the set before each word of `bits`

  template <class Memory>
  GLS_DEVICE RankedPlaces(int n, Memory& memory)
      : words(words_of(n)),
        bits(memory.template take<uint32>(words)),
        before(memory.template take<Count>(words)) {}

  GLS_DEVICE static int64 bytes(int n) {
    return piece_bytes<uint32>(words_of(n)) + piece_bytes<Count>(words_of(n));
  }

  GLS_DEVICE int rank(int place) const {
    const uint32 low = bits[place / 32] & ((1u << place % 32) - 1);
    return int(before[place / 32]) + bits_in(low);
  }

  // Replaces the set with place(i) for i in [0, count). The team must not be a block.
  template <class Team, class Place>
  GLS_DEVICE void fill(const Team& team, int count, Place place) {
    team.each(words, [&](int word) { bits[word] = 0; });
    team.sync();
    each_ahead(team, count, place, [&](int, int its) { team.set_bit(bits, its); });
    team.sync();
    constexpr int kEach = Team::kLanes > 1 ? 4 : 1;  // consecutive words of a lane
    int total = 0;
#pragma unroll 1
    for (int base = 0; base < words; base += kEach * Team::kLanes) {
      const int first = base + kEach * team.lane();
      int counts[kEach], sum = 0;
      GLS_UNROLL
      for (int k = 0; k < kEach; ++k) {
        counts[k] = first + k < words ? bits_in(bits[first + k]) : 0;
        sum += counts[k];
      }
      const Compacted own = team.stacked(sum);
      int rank = total + own.place;
      GLS_UNROLL
      for (int k = 0; k < kEach; ++k) {
        if (first + k < words) before[first + k] = Count(rank);
        rank += counts[k];
      }
      total += own.total;
    }
    team.sync();
  }

  template <class Team>
  GLS_DEVICE void insert(const Team& team, int place) {
    team.each(1, [&](int) { team.set_bit(bits, place); });
    const int first = place / 32 + 1;
    team.each(words - first, [&](int k) { ++before[first + k]; });
    team.sync();
  }

 private:
  GLS_DEVICE static int words_of(int n) { return (n + 31) / 32; }
};

}  // namespace gls
