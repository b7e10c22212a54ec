// The cities as float32 estimates see them.
#pragma once

#include "lengths.cuh"

namespace gls {

template <class Team, class Metric>
struct MakeSites {
  GLS_DEVICE static void run(const Team& team, int, const void* metric_data, int n, void* sites) {
    const Metric metric(metric_data, n);
    auto* site = static_cast<typename Lengths<Metric, int>::City*>(sites);
    if constexpr (Dimensions<Metric>::kCount > 0) {
      team.each(n, [&](int city) { site[city].set(metric.point(city)); });
    }
  }
};

}  // namespace gls
