// Records which tours an objective considers feasible.
#pragma once

#include "tours/problem/objective.cuh"

namespace gls {

template <class Team, class Metric>
struct ProbeFeasible {
  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n, int asked,
                             const int* tours, int* feasible) {
    if (item >= asked) return;
    const Metric metric(metric_data, n);
    const int* const tour = tours + int64(item) * n;
    const bool may = metric.objective.feasible(team, n, [&](int place) { return tour[place]; });
    team.once([&] { feasible[item] = may; });
  }
};

}  // namespace gls
