// First routes of many vehicle routing problems: each route goes on to the nearest customer that
// fits, and ends when none fits.
#pragma once

#include "routes/kernels/linked_row.cuh"

namespace gls {

// Rows to write, as giant tours.
struct FirstRows {
  int* first_tours;
  unsigned char* served;  // (rows, n): whether a customer is in a route; zero at first
};

template <class Team, class Vehicles>
struct FirstRoutes {
  using Length = typename Vehicles::Length;
  using Option = Ranked<Length>;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, LinkedProblem problem,
                             const InstancesOfRows& all, const FirstRows& rows) {
    choose_instance<OwnProblem>(instance, problem, all, item);
    const Vehicles vehicles(problem.nodes_data, problem.vehicles);
    const int n = instance.n, customers = vehicles.customers;
    int* const tour = rows.first_tours + int64(item) * n;
    unsigned char* const served = rows.served + int64(item) * n;
    team.once([&] { tour[0] = 0; });
    int place = 1, routes = 1, at = 0;
    int64 load = 0;
#pragma unroll 1
    while (place < customers + routes) {
      const Option none{endless<Length>(), -1};
      const Option next = team.least(customers, none, [&](int k) {
        const int c = k + 1;
        if (served[c] || !vehicles.holds(load + vehicles.demands[c])) return none;
        return Option{vehicles.length(at, c), c};
      });
      const bool ends = next.index < 0;
      if (ends && (at == 0 || customers + routes == n)) break;  // there is no such row
      team.sync();
      at = ends ? 0 : int(next.index);
      load = ends ? 0 : load + vehicles.demands[at];
      team.once([&] {
        tour[place] = ends ? customers + routes : at;
        served[at] = 1;
      });
      ++place, routes += ends;
    }
    team.each(n - customers - routes,
              [&](int more) { tour[customers + routes + more] = customers + routes + more; });
  }
};

}  // namespace gls
