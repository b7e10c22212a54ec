// Computes lengths and estimates of pairs of cities, to compare a functor with its Python class.
#pragma once

#include "tours/problem/metric.cuh"

namespace gls {

struct CityPairs {
  const void* metric_data;  // data of the metric's functor
  int n;                    // number of cities
  int pairs;                // number of pairs
  const int *from, *to;     // (pairs,)
  void* lengths;            // (pairs,): the result, of the metric's type
  float* estimates;         // (pairs,): the result
};

template <class Team, class Metric>
struct PairLengths {
  GLS_DEVICE static void run(const Team& team, int, const CityPairs& data) {
    const Metric metric(data.metric_data, data.n);
    team.each(data.pairs, [&](int pair) {
      const int a = data.from[pair], b = data.to[pair];
      static_cast<typename Metric::Length*>(data.lengths)[pair] = metric(a, b);
      data.estimates[pair] = metric.estimate(metric.point(a), metric.point(b));
    });
  }
};

}  // namespace gls
