// Uniform random tours from the Fisher-Yates shuffle, one lane per tour.
#pragma once

#include "backends/include/philox.cuh"

namespace gls {

template <class Team>
struct RandomTours {
  GLS_DEVICE static void run(const Team& team, int item, int n, uint64 seed, int64 first_row,
                             int* tours) {
    int* order = tours + int64(item) * n;
    team.each(n, [&](int p) { order[p] = p; });
    team.sync();
    team.once([&] {
      Philox random(seed, Purpose::kRandomTours, first_row + item);
      for (int p = n - 1; p > 0; --p) {
        const int q = int(random.below(p + 1));
        const int city = order[p];
        order[p] = order[q];
        order[q] = city;
      }
    });
  }
};

}  // namespace gls
