// Kicks of sequences. A kick changes a complete sequence into another one, in two steps:
//
//   static constexpr bool kDescends      whether the search descends between the steps
//   static void begin(const Team&, Search&, Philox&, int64 first_step, int strength)
//   static void end(const Team&, Search&)
//
// Items that `begin` removes are in `order` behind the sequence. If the search descends, `begin`
// leaves the value of the sequence in `Search::now`; `end` always does.
#pragma once

#include "sequences/kernels/working_sequence.cuh"

namespace gls {

// Removes random items and inserts each at its best place, in the order of removal (Ruiz and
// Stützle 2007). With kGivenDescends, the sequence without them is first searched (Dubois-Lacoste,
// Pagnozzi and Stützle 2017).
template <bool kGivenDescends>
struct DestroyRepairKick {
  static constexpr bool kDescends = kGivenDescends;

  template <class Team, class Search>
  GLS_DEVICE static void begin(const Team& team, Search& search, Philox& random, int64 first_step,
                               int strength) {
    const int movable = search.length - search.fixed;
    const int count = strength < movable ? strength : movable;
    random.seek(first_step);
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
      const int left = search.length - search.fixed;
      search.erase(team, search.fixed + int(random.below(uint32(left))), 1);
      team.once([&] { search.order[search.length] = search.block[0]; });
    }
    team.once([&] {  // the first one that was removed comes first
      for (int i = search.length, j = search.n - 1; i < j; ++i, --j) {
        const int item = search.order[i];
        search.order[i] = search.order[j], search.order[j] = item;
      }
    });
    if constexpr (kDescends) search.evaluate(team);
  }

  template <class Team, class Search>
  GLS_DEVICE static void end(const Team& team, Search& search) {
    search.insert_others(team);
    if constexpr (Search::kRelative) search.evaluate(team);
  }
};

}  // namespace gls
