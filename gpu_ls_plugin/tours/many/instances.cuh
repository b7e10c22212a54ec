// Many instances as parts of one problem that contains all their cities. Within each instance,
// cities are numbered from 0.
#pragma once

#include "tours/candidates/nearest_few.cuh"
#include "tours/problem/lengths.cuh"

namespace gls {

// Instances with their cities' numbers in the whole problem, one row per instance.
struct InstanceRows {
  const void* metric_data;
  int total;         // number of cities of all instances
  int stride;        // distance between rows, in elements
  const int* sizes;  // number of cities of each instance
  const int* names;  // (instances, stride): consecutive numbers in each row
};

// Candidate lists of all instances: the input and the result.
struct ListedCities {
  const double* points;  // coordinates of all cities
  int degree;            // number of candidates per city
  void* near;            // (instances, stride, degree): candidates, in the format of `Lists`
  void* near_lengths;    // their lengths, in the format of `Lists`
};

// Lists the candidates of one city within its instance. A list that is too short repeats its last
// candidate.
template <class Team, class Metric, class Length, class Lists, int most>
struct InstanceLists {
  GLS_DEVICE static void run(const Team& team, int item, InstanceRows rows, ListedCities lists) {
    const int part = item / rows.stride, own = item % rows.stride, n = rows.sizes[part];
    if (own >= n) return;
    const Metric metric(rows.metric_data, rows.total);
    const int64 row = int64(part) * rows.stride;
    const int first = rows.names[row], degree = lists.degree;
    const double* const points = lists.points + 2 * int64(first);
    NearestInQuadrants<Length, most> found;
    for (int other = 0; other < n; ++other) {
      if (other == own) continue;
      found.offer(Length(metric(first + own, first + other)), other,
                  points[2 * other] - points[2 * own], points[2 * other + 1] - points[2 * own + 1],
                  degree);
    }
    put_nearest<Lists>(found.chosen(degree), degree, (row + own) * degree, lists.near,
                       lists.near_lengths);
  }
};

// Tours of all instances and their costs.
struct InstanceTours {
  int replicas;      // tours per instance
  const int* tours;  // (instances * replicas, stride)
  void* costs;       // (instances * replicas,): the result, of the metric's type
};

// Computes the cost of a tour.
template <class Team, class Metric>
struct InstanceCost {
  using Length = typename Metric::Length;

  GLS_DEVICE static void run(const Team& team, int item, InstanceRows rows, InstanceTours tours) {
    const Metric metric(rows.metric_data, rows.total);
    const int part = item / tours.replicas, n = rows.sizes[part];
    const int* const own = rows.names + int64(part) * rows.stride;
    const int* const tour = tours.tours + int64(item) * rows.stride;
    const Length cost = team.template sum<Length>(
        n, [&](int p) { return metric(own[tour[p]], own[tour[p + 1 == n ? 0 : p + 1]]); });
    team.once([&] { static_cast<Length*>(tours.costs)[item] = cost; });
  }
};

}  // namespace gls
