// Nearest-neighbour tours: always on to the nearest unvisited city, ties to the smallest.
#pragma once

#include "tours/problem/metric.cuh"
#include "tours/kernels/tour.cuh"

namespace gls {

template <class Team, class Metric>
struct NearestNeighbour {
  using Length = typename Metric::Length;
  using Choice = Ranked<Length>;

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             const int* neighbours, const void* lengths, int degree,
                             const int* starts, unsigned char* visited_scratch, int* tours) {
    const Metric metric(metric_data, n);
    unsigned char* visited = visited_scratch + int64(item) * n;
    int* order = tours + int64(item) * n;
    const Choice nothing{Length(int64(1) << 62), n};
    team.each(n, [&](int city) { visited[city] = 0; });
    team.sync();
    int city = starts[item];
    for (int p = 0; p < n; ++p) {
      team.once([&] {
        order[p] = city;
        visited[city] = 1;
      });
      if (p + 1 == n) break;
      const int* near = neighbours + int64(city) * degree;
      const Length* length = static_cast<const Length*>(lengths) + int64(city) * degree;
      Choice next = team.least(degree, nothing, [&](int k) {
        return visited[near[k]] ? nothing : Choice{length[k], near[k]};
      });
      // Cities as far as the last of the list may be missing from it.
      if (!(next.value < length[degree - 1]) && degree < n - 1) {
        next = team.least(n, nothing, [&](int other) {
          return visited[other] ? nothing : Choice{metric(city, other), other};
        });
      }
      city = int(next.index);
    }
  }
};

}  // namespace gls
