// A bit per city that says whether to look at it (the inverse of Bentley's don't-look bit), and a
// cyclic sweep over the cities whose bits are set.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// City c has bit c / count of word c % count, where `count` is the number of words. Cities with
// neighbouring numbers are often close together, so that their moves exclude each other; this order
// puts them far apart in the sweep.
struct LookBits {
  uint32* words;
  int count;

  template <class Team>
  GLS_DEVICE void set(const Team& team, int city) const {
    team.set_bit(words, bit(city));
  }
  template <class Team>
  GLS_DEVICE void clear(const Team& team, int city) const {
    team.clear_bit(words, bit(city));
  }

  // Writes the first cities, up to `most`, of a sweep that starts at bit `begin`; returns their
  // number. If it writes `most` cities, `later` becomes the start of the next sweep. The bits do
  // not change.
  template <class Team>
  GLS_DEVICE int next(const Team& team, int begin, int most, int* cities, int& later) const {
    const int first = begin / 32;
    // The sweep ends with the bits below `begin` in the first word.
    const uint32 behind = (1u << begin % 32) - 1;
    int found = 0;
#pragma unroll 1
    for (int base = 0; base <= count && found < most; base += Team::kLanes) {
      const int step = base + team.lane(), at = first + step, w = at < count ? at : at - count;
      uint32 word = step <= count ? words[w] : 0;
      if (step == 0) word &= ~behind;
      if (step == count) word &= behind;
      const Compacted own = team.stacked(bits_in(word));
      for (int rank = found + own.place; word != 0 && rank < most; ++rank, word &= word - 1) {
        cities[rank] = lowest_bit(word) * count + w;
        if (rank == most - 1) later = (32 * w + lowest_bit(word) + 1) % (32 * count);
      }
      found += own.total;
    }
    return found < most ? found : most;
  }

 private:
  GLS_DEVICE int bit(int city) const { return city % count * 32 + city / count; }
};

}  // namespace gls
