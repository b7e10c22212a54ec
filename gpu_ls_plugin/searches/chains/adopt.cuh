// Chains that go on from tours which are cheaper than the best that they have found.
#pragma once

#include "include/team.cuh"

namespace gls {

template <class Team, class Cost>
struct Adopt {
  GLS_DEVICE static void run(const Team& team, int item, int n, const int* found,
                             const void* found_costs, int* tours, int* best_tours, void* costs,
                             void* best_costs, int64* idle_counts) {
    const Cost cost = static_cast<const Cost*>(found_costs)[item];
    if (!(cost < static_cast<const Cost*>(best_costs)[item])) return;
    const int64 row = int64(item) * n;
    team.each(n, [&](int p) { tours[row + p] = best_tours[row + p] = found[row + p]; });
    team.sync();  // all have read the cost
    team.once([&] {
      static_cast<Cost*>(costs)[item] = static_cast<Cost*>(best_costs)[item] = cost;
      idle_counts[item] = 0;
    });
  }
};

}  // namespace gls
