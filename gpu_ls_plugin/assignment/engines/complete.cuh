// States in which some variables have no value yet become states in which all have one.
#pragma once

#include "backends/include/philox.cuh"

namespace gls {

// Marks the values that variables have in `used`, which has a number for each value.
template <class Team>
GLS_DEVICE void mark_used(const Team& team, const int* values, int m, int most, int* used) {
  team.each(most, [&](int value) { used[value] = 0; });
  team.sync();
  team.each(m, [&](int v) {
    if (values[v] >= 0) used[values[v]] = 1;
  });
  team.sync();
}

// Each variable without a value gets a random one, or, where all must differ, one that no other
// variable has. `used` is room for a number for each value.
template <bool kDistinct, class Team>
GLS_DEVICE void complete(const Team& team, int* values, int m, const int* sizes, int most,
                         Philox random, int* used) {
  bool mine = false;
  for (int v = team.lane(); v < m; v += Team::kLanes) mine |= values[v] < 0;
  if (!team.any(mine)) return;
  if constexpr (!kDistinct) {
    team.each(m, [&](int v) {
      random.seek(v);
      if (values[v] < 0) values[v] = int(random.below(uint32(sizes[v])));
    });
  } else {
    mark_used(team, values, m, most, used);
    team.once([&] {
      int free = 0;
      for (int value = 0; value < most; ++value) {
        if (!used[value]) used[free++] = value;  // those that are listed lie before
      }
      for (int v = 0; v < m; ++v) {
        if (values[v] >= 0) continue;
        const int chosen = int(random.below(uint32(free)));
        values[v] = used[chosen];
        used[chosen] = used[--free];
      }
    });
  }
  team.sync();
}

}  // namespace gls
