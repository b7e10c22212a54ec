// Computes the cost of a tour from scratch. Includes the objective if it keeps data about tours.
#pragma once

#include "tours/problem/row_lists.cuh"
#include "tours/problem/objective.cuh"
#include "tours/kernels/tour.cuh"

namespace gls {

template <class Team, class Metric>
struct TourCost {
  using Length = typename Metric::Length;

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             const int* tours, void* costs) {
    const auto metric = metric_of<Metric>(row_data<Metric>(metric_data, item), n, item);
    const Tour<const int> tour{tours + int64(item) * n, n};
    Length total =
        team.template sum<Length>(n, [&](int p) { return metric(tour[p], tour[tour.next(p)]); });
    if constexpr (keeps<Metric>()) {
      metric.objective.keep(team, n, [&](int p) { return tour[p]; });
      team.sync();
      total += relief_of<Length>(metric);
    }
    team.once([&] { static_cast<Length*>(costs)[item] = total; });
  }
};

}  // namespace gls
