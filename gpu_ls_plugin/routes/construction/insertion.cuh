// Cheapest insertion: of all customers that wait, the one whose detour is shortest joins a route
// that can take it. A route begins with a customer far away (row 0) or drawn at random.
//
// Each customer that waits knows its best edge, named by the node that it leads from: a customer,
// or beyond the customers the depot of a route. After an insertion it looks at the two new edges,
// and at all edges again only where its own is no longer there or its route no longer takes it.
#pragma once

#include "routes/construction/open_routes.cuh"
#include "backends/include/philox.cuh"

namespace gls {

// Which routes still take customers, from a number on.
struct AllRoutes {
  GLS_DEVICE static int first(int) { return 0; }
};
struct LastRoute {
  GLS_DEVICE static int first(int routes) { return routes - 1; }
};

template <class Team, class Vehicles, class Taking>
struct CheapestInsertion {
  using Length = typename Vehicles::Length;
  using Time = typename Vehicles::Time;
  using Routes = OpenRoutes<Vehicles>;
  using Edge = typename Routes::Edge;

  // at_once: routes that begin before the first insertion.
  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data,
                             const uint64* words, int at_once, uint64 seed, int* all_after,
                             int* all_owners, gls::int64* all_loads, void* all_durations,
                             int* all_waiting, void* all_detours, int* all_edges, int* orders,
                             unsigned char* all_begins) {
    const Vehicles vehicles(metric_data, words);
    const int n = vehicles.customers;
    const int64 wide = n + 1, at = int64(item) * wide, row = int64(item) * n;
    const Routes routes{vehicles, all_after + 2 * at, all_owners + at, all_loads + at,
                        static_cast<Time*>(all_durations) + at};
    int* waiting = all_waiting + at;
    Length* detours = static_cast<Length*>(all_detours) + at;
    int* edges = all_edges + at;
    team.each(n, [&](int index) {
      waiting[index] = index + 1;
      detours[index + 1] = vehicles.length(0, index + 1);
    });
    team.sync();
    Philox random(seed, Purpose::kInsertion, item);
    int count = n, opened = 0;
    // Begins a route with the customer of greatest distance in `detours`, or any; returns it.
    const auto begin_route = [&] {
      using Far = Ranked<Length>;
      const int drawn = item == 0 ? -1 : int(random.below(count));
      const Far far = team.least(drawn < 0 ? count : 0, Far{Length(1), n + 1},
                                 [&](int w) { return Far{-detours[waiting[w]], waiting[w]}; });
      const int customer = drawn < 0 ? int(far.index) : waiting[drawn];
      team.sync();
      team.once([&] {
        routes.open(opened, customer);
        take(waiting, count, customer);
      });
      ++opened;
      --count;
      return customer;
    };
    while (opened < at_once && count > 0) {
      const int begun = begin_route();
      team.each(count, [&](int w) {  // next time far from this one, too
        const int c = waiting[w];
        const Length length = vehicles.length(begun, c);
        if (length < detours[c]) detours[c] = length;
      });
      team.sync();
    }
    const auto look_at_all = [&](int c) {
      set(routes.best_edge(c, Taking::first(opened), opened), c, detours, edges);
    };
    team.each(count, [&](int w) { look_at_all(waiting[w]); });
    team.sync();
    while (count > 0) {
      const Edge next = team.least(count, Routes::nothing(), [&](int w) {
        const int c = waiting[w];
        return edges[c] < 0 ? Routes::nothing() : Edge{detours[c], c};
      });
      if (next.index < 0) {  // none fits
        team.each(count, [&](int w) { detours[waiting[w]] = vehicles.length(0, waiting[w]); });
        team.sync();
        begin_route();
        team.each(count, [&](int w) { look_at_all(waiting[w]); });
        team.sync();
        continue;
      }
      const int customer = int(next.index), from = edges[customer], route = routes.route_of(from);
      team.sync();
      team.once([&] {
        routes.insert(Edge{next.value, from}, customer);
        take(waiting, count, customer);
      });
      --count;
      team.each(count, [&](int w) {
        const int c = waiting[w];
        Edge known{detours[c], edges[c]};
        const bool takes = routes.takes(route, c);
        if (known.index >= 0 && routes.route_of(int(known.index)) == route &&
            (!takes || known.index == from || !routes.in_time(route, c, known.value))) {
          look_at_all(c);
        } else if (takes) {
          known = routes.better(known, from, route, c);
          set(routes.better(known, customer, route, c), c, detours, edges);
        }
      });
      team.sync();
    }
    team.once([&] { routes.write(opened, orders + row, all_begins + row); });
  }

 private:
  GLS_DEVICE static void set(const Edge& edge, int customer, Length* detours, int* edges) {
    detours[customer] = edge.value;
    edges[customer] = int(edge.index);
  }

  // Takes a customer out of those that wait; the last of them comes into its place.
  GLS_DEVICE static void take(int* waiting, int count, int customer) {
    for (int w = 0; w < count; ++w) {
      if (waiting[w] == customer) {
        waiting[w] = waiting[count - 1];
        return;
      }
    }
  }
};

}  // namespace gls
