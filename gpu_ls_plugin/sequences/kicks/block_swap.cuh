// A kick of sequences that swaps two blocks; sequences/kicks/destroy_repair.cuh describes kicks.
#pragma once

#include "sequences/kernels/working_sequence.cuh"

namespace gls {

// Swaps two adjacent blocks of random lengths at a random place.
struct BlockSwapKick {
  static constexpr bool kDescends = false;

  // `strength` is the maximum number of items of both blocks together.
  template <class Team, class Search>
  GLS_DEVICE static void begin(const Team& team, Search& search, Philox& random, int64 first_step,
                               int strength) {
    const int movable = search.length - search.fixed;
    const int most = strength < movable ? strength : movable;
    if (most < 2) return;
    random.seek(first_step);
    const int first = 1 + int(random.below(uint32(most - 1)));
    const int second = 1 + int(random.below(uint32(most - first)));
    const int begin = search.fixed + int(random.below(uint32(movable - first - second + 1)));
    search.overwrite(team, begin, begin + first + second - 1, [&](int k) {
      return search.order[k < begin + second ? k + first : k - second];
    });
  }

  template <class Team, class Search>
  GLS_DEVICE static void end(const Team& team, Search& search) {
    search.evaluate(team);
  }
};

}  // namespace gls
