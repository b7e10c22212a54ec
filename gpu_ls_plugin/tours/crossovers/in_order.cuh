// Loops whose order matters, for teams whose lanes work side by side.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// put(rank, i) for those i in [0, count) that are kept, ranked in order; returns their number. Not
// for blocks.
template <class Team, class Keep, class Put>
GLS_DEVICE int put_kept(const Team& team, int count, Keep keep, Put put) {
  int total = 0;
#pragma unroll 1
  for (int base = 0; base < count; base += Team::kLanes) {
    const int i = base + team.lane();
    const bool kept = i < count && keep(i);
    const Compacted own = team.compact(kept);
    if (kept) put(total + own.place, i);
    total += own.total;
  }
  team.sync();
  return total;
}

// use(i, make(i)) for every i in [0, count): values are made side by side and used in order, so
// that sums of real numbers are the same on every team.
template <class Team, class Make, class Use>
GLS_DEVICE void each_in_order(const Team& team, int count, Make make, Use use) {
#pragma unroll 1
  for (int base = 0; base < count; base += Team::kLanes) {
    const int i = base + team.lane();
    decltype(make(0)) value{};
    if (i < count) value = make(i);
#pragma unroll 1
    for (int turn = 0; turn < Team::kLanes && base + turn < count; ++turn) {
      if (team.lane() == turn) use(i, value);
      team.sync();
    }
  }
}

}  // namespace gls
