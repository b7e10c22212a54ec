// Nearest-neighbour tours: go to the nearest unvisited city; ties go to the smallest number.
#pragma once

#include "tours/problem/metric.cuh"
#include "tours/kernels/tour.cuh"

namespace gls {

// The candidate lists, and the first cities and tours of a batch.
struct NearestNeighbourBatch {
  const void* metric_data;  // data of the metric's functor
  int n;                    // number of cities
  const int* neighbours;    // (n, degree): near cities of each city, nearest first
  const void* lengths;      // (n, degree): exact lengths to them, of the metric's type
  int degree;
  const int* starts;       // (items,): the first city of each tour
  unsigned char* visited;  // (items, n): scratch
  int* tours;              // (items, n): the result
};

template <class Team, class Metric>
struct NearestNeighbour {
  using Length = typename Metric::Length;
  using Choice = Ranked<Length>;

  GLS_DEVICE static void run(const Team& team, int item, const NearestNeighbourBatch& batch) {
    const int n = batch.n, degree = batch.degree;
    const Metric metric(batch.metric_data, n);
    unsigned char* const visited = batch.visited + int64(item) * n;
    int* const order = batch.tours + int64(item) * n;
    const Choice nothing{Length(int64(1) << 62), n};
    team.each(n, [&](int city) { visited[city] = 0; });
    team.sync();
    int city = batch.starts[item];
    for (int p = 0; p < n; ++p) {
      team.once([&] {
        order[p] = city;
        visited[city] = 1;
      });
      if (p + 1 == n) break;
      const int* near = batch.neighbours + int64(city) * degree;
      const Length* length = static_cast<const Length*>(batch.lengths) + int64(city) * degree;
      Choice next = team.least(degree, nothing, [&](int k) {
        return visited[near[k]] ? nothing : Choice{length[k], near[k]};
      });
      // The list may lack cities as far away as its last one, so only nearer choices are certain.
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
