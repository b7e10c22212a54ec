// Lengths and estimates of pairs of cities, for the comparison with a metric's Python face.
#pragma once

#include "tours/problem/metric.cuh"

namespace gls {

template <class Team, class Metric>
struct PairLengths {
  GLS_DEVICE static void run(const Team& team, int, const void* metric_data, int n, int pairs,
                             const int* from, const int* to, void* lengths, float* estimates) {
    const Metric metric(metric_data, n);
    team.each(pairs, [&](int pair) {
      const int a = from[pair], b = to[pair];
      static_cast<typename Metric::Length*>(lengths)[pair] = metric(a, b);
      estimates[pair] = metric.estimate(metric.point(a), metric.point(b));
    });
  }
};

}  // namespace gls
