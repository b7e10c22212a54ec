// Sweep (Gillett and Miller 1974): a ray turns around the depot. Each customer that it meets is
// inserted into the current route at the shortest detour. If the vehicle cannot also serve this
// customer, the customer begins a new route.
#pragma once

#include "routes/problem/vehicles.cuh"

namespace gls {

// Parameters.
struct SweepRays {
  const int* around;  // the customers, by angle
  const int* starts;  // for each row: where in `around` its ray starts; ~index: it turns backward
};

template <class Team, class Vehicles>
struct Sweep {
  using Length = typename Vehicles::Length;
  using Time = typename Vehicles::Time;
  using Choice = Ranked<Length>;

  GLS_DEVICE static void run(const Team& team, int item, const RouteRows& rows,
                             const SweepRays& rays) {
    const Vehicles vehicles(rows.nodes_data, rows.vehicles);
    const int n = vehicles.customers, start = rays.starts[item];
    int* order = rows.orders + int64(item) * n;
    unsigned char* begins = rows.begins + int64(item) * n;
    const Choice nothing{endless<Length>(), 0};
    int first = 0;  // index of the first customer of the current route
    int64 load = 0;
    Time duration = 0;
    for (int count = 0; count < n; ++count) {
      const int turned = start >= 0 ? start + count : ~start + n - count;
      const int customer = rays.around[turned % n], length = count - first;
      const Choice best = team.least(length + 1, nothing, [&](int k) {
        const int from = k == 0 ? 0 : order[first + k - 1];
        const int to = k == length ? 0 : order[first + k];
        return vehicles.dues_with(order + first, length, customer, k) > 0
                   ? nothing
                   : Choice{vehicles.detour(from, customer, to), k};
      });
      const Time longer = duration + Time(best.value) + vehicles.services[customer];
      const bool fits = length > 0 && best < nothing && longer <= vehicles.limit &&
                        vehicles.holds(load + vehicles.demands[customer]);
      const int place = fits ? first + int(best.index) : count;
      team.sync();
      team.once([&] {
        for (int p = count; p > place; --p) order[p] = order[p - 1];
        order[place] = customer;
        begins[count] = !fits;
      });
      if (!fits) first = count;
      load = vehicles.demands[customer] + (fits ? load : 0);
      duration = fits ? longer : vehicles.alone(customer);
    }
  }
};

}  // namespace gls
