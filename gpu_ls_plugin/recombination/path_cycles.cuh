// The cycles of paths that lead from one to the next.
#pragma once

#include "include/team.cuh"

namespace gls {

// Finds the cycle of each of `size` paths, fewer than 2^15: `owner` says its least path. Returns
// how many cycles there are. A path is entered at a side, 2 path or 2 path + 1, and follow(side) is
// the side of the next one.
//
// A word holds the least path of a stretch of sides and the side behind it; stretches double until
// they have closed, and nothing changes. `from` and `to` have room for 2 size words each.
template <class Team, class Follow, class City>
GLS_DEVICE int number_cycles(const Team& team, int size, Follow follow, uint32* from, uint32* to,
                             City* owner) {
  each_ahead(team, 2 * size, follow,
             [&](int i, int side) { from[i] = uint32(i / 2) << 16 | uint32(side); });
  team.sync();
  struct Stretches {
    uint32 own, next;
  };
  bool changed = true;
#pragma unroll 1
  for (int reach = 1; reach < size && team.any(changed); reach *= 2) {
    changed = false;
    each_ahead(
        team, 2 * size,
        [&](int i) {
          const uint32 own = from[i];
          return Stretches{own, from[own & 0xffff]};
        },
        [&](int i, const Stretches& both) {
          const uint32 least = both.own < both.next ? both.own : both.next;
          changed |= (least ^ both.own) >> 16 != 0;
          to[i] = (least & 0xffff0000) | (both.next & 0xffff);
        });
    team.sync();
    uint32* const old = from;
    from = to;
    to = old;
  }
  const int count = team.template sum<int>(size, [&](int path) {
    const int least = int(from[2 * path] >> 16);
    owner[path] = City(least);
    return int(least == path);
  });
  team.sync();
  return count;
}

}  // namespace gls
