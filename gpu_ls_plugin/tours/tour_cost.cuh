// The cost of a tour from scratch.
#pragma once

#include "include/row_lists.cuh"
#include "tours/tour.cuh"

namespace gls {

template <class Team, class Metric>
struct TourCost {
  using Length = typename Metric::Length;

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             const int* tours, void* costs) {
    const Metric metric(row_data<Metric>(metric_data, item), n);
    const Tour<const int> tour{tours + int64(item) * n, n};
    const Length total =
        team.template sum<Length>(n, [&](int p) { return metric(tour[p], tour[tour.next(p)]); });
    team.once([&] { static_cast<Length*>(costs)[item] = total; });
  }
};

}  // namespace gls
