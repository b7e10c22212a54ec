// The near nodes of all nodes of many vehicle routing problems.
#pragma once

#include "routes/kernels/linked_row.cuh"
#include "tours/many/instances.cuh"

namespace gls {

// Lists the nearest other nodes of a depot or a customer, sorted by length and number.
template <class Team, class Metric, int most>
struct NearLists {
  using Length = typename Metric::Length;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, LinkedProblem problem,
                             InstancesOfRows all, int* lists) {
    const int node = item % all.near_rows, each = problem.near_each;
    all.replicas = 1;
    choose_instance<OwnProblem>(instance, problem, all, item / all.near_rows);
    const Metric metric(instance.metric_data, instance.n);
    NearestFew<Length, most> found;
    for (int other = 0; other < all.near_rows; ++other) {
      if (other != node) found.offer(metric(node, other), other, each);
    }
    int* const list = lists + int64(item) * each;
    for (int rank = 0; rank < each; ++rank) list[rank] = found.cities[rank];
  }
};

}  // namespace gls
