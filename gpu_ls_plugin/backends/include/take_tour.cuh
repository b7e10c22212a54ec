// Copies rows and checks that they are permutations. `places` stores one place of each city, so if
// a city occurs twice, one of its places differs from the stored one. The identity replaces an
// invalid row, since other kernels may read the row before the host knows of the fault.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

template <class Team>
struct TakeTour {
  // `faults` becomes 1 if a row is not a permutation; `places` is scratch memory, n for each row.
  GLS_DEVICE static void run(const Team& team, int item, int n, const int* rows, int* tours,
                             int* places, int* faults) {
    const int64 row = int64(item) * n;
    const auto outside = [&](int city) { return uint32(city) >= uint32(n); };
    each_ahead(
        team, n, [&](int p) { return rows[row + p]; },
        [&](int p, int city) {
          tours[row + p] = city;
          if (!outside(city)) places[row + city] = p;
        });
    team.sync();
    bool wrong = false;
    team.each(n, [&](int p) {
      const int city = rows[row + p];
      wrong |= outside(city) || places[row + city] != p;
    });
    if (!team.any(wrong)) return;
    team.each(1, [&](int) { *faults = 1; });
    team.each(n, [&](int p) { tours[row + p] = p; });
  }
};

}  // namespace gls
