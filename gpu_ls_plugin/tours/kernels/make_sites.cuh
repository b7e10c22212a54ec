// Makes the sites of cities, from which kernels compute lengths.
#pragma once

#include "tours/problem/lengths.cuh"

namespace gls {

template <class Team, class Metric>
struct MakeSites {
  // Coordinates are relative to (left, low).
  GLS_DEVICE static void run(const Team& team, int, const void* metric_data, int n, float left,
                             float low, void* sites) {
    const Metric metric(metric_data, n);
    auto* site = static_cast<typename Lengths<Metric, int>::City*>(sites);
    if constexpr (Dimensions<Metric>::kValue > 0) {
      team.each(n, [&](int city) {
        Point point = metric.point(city);
        point.x -= left, point.y -= low;
        site[city].set(point);
      });
    }
  }
};

// Makes a table of the lengths between all pairs of cities.
template <class Team, class Metric, class Entry>
struct MakeSites<Team, Tabled<Metric, Entry>> {
  GLS_DEVICE static void run(const Team& team, int, const void* metric_data, int n, float, float,
                             void* sites) {
    const Metric metric(metric_data, n);
    team.each(n, [&](int a) {
      Entry* const row = static_cast<Entry*>(sites) + int64(a) * n;
      for (int b = 0; b < n; ++b) row[b] = a == b ? Entry(0) : Entry(metric(a, b));
    });
  }
};

}  // namespace gls
