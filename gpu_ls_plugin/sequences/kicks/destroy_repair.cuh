// Kicks of sequences. A kick is a struct with
//
//   template <class Pivot, class... Moves, class Team, class Search>
//   static void kick(const Team&, Search&, Philox&, int64 first_step, int strength)
//
// It changes a complete sequence into another one, and leaves its value in `Search::now`. Random
// steps from `first_step` on belong to the kick: see `Draws`.
#pragma once

#include "sequences/kernels/working_sequence.cuh"

namespace gls {

// Removes random items and inserts each at its best place, in the order of removal (Ruiz and
// Stützle 2007). With kDescends, the sequence without them is first searched (Dubois-Lacoste,
// Pagnozzi and Stützle 2017).
template <bool kDescends>
struct DestroyRepairKick {
  template <class Pivot, class... Moves, class Team, class Search>
  GLS_DEVICE static void kick(const Team& team, Search& search, Philox& random, int64 first_step,
                              int strength) {
    const int movable = search.length - search.fixed;
    const int count = strength < movable ? strength : movable;
    // Moves of the other items use `spare` only up to their number.
    int* const removed = search.spare + (search.length - count);
    random.seek(first_step + kRemovalDraws * kSteps);
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
      const int left = search.length - search.fixed;
      search.erase(team, search.fixed + int(random.below(uint32(left))), 1);
      team.once([&] { removed[k] = search.block[0]; });
    }
    if constexpr (kDescends && sizeof...(Moves) > 0) {
      Descent progress;
      search.evaluate(team);
      Pivot::template descend<Moves...>(
          team, search, random, first_step + kPartialQueueDraws * kSteps, kNoLimit, progress);
    }
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
      team.once([&] { search.block[0] = removed[k]; });
      search.insert_best(team, 1);
    }
    if constexpr (Search::kRelative) search.evaluate(team);
  }
};

}  // namespace gls
