// Computes the data that an objective keeps of each tour of a batch, for searches whose kernels do
// not begin with that.
#pragma once

#include "tours/problem/objective.cuh"

namespace gls {

template <class Team, class Metric>
struct KeepTours {
  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             const int* tours) {
    const int* const tour = tours + int64(item) * n;
    metric_of<Metric>(metric_data, n, item).objective.keep(team, n, [&](int p) { return tour[p]; });
  }
};

}  // namespace gls
