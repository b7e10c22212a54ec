// Counts how often an acceptance rule accepts each rise of the cost in many independent calls.
#pragma once

#include "backends/include/philox.cuh"

namespace gls {

template <class Team, class Cost, class Accept>
struct ProbeAcceptance {
  GLS_DEVICE static void run(const Team& team, int item, uint64 seed, int draws, const void* rises,
                             const float* levels, int* taken, int* never_worse) {
    const Cost rise = static_cast<const Cost*>(rises)[item];
    team.once([&] {
      int count = 0;
      for (int draw = 0; draw < draws; ++draw) {
        Philox random(seed, Purpose::kKick, int64(item) * draws + draw);
        count += Accept::takes(rise, levels[item], random);
      }
      taken[item] = count;
      never_worse[item] = Accept::kNeverWorse;
    });
  }
};

}  // namespace gls
