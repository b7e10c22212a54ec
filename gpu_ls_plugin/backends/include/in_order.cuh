// Loops with a fixed order, for teams of parallel lanes.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// Calls put(rank, i) for each i in [0, count) that `keep` accepts, with ranks 0, 1, ... in order.
// Returns the number of calls. The team must not be a block.
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

// Calls use(i, make(i)) for each i in [0, count). Values are made in parallel and used in order, so
// that sums of real numbers are the same for all kinds of teams.
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
