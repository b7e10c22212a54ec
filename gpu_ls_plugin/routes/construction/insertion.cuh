// Cheapest insertion: the next customer is the waiting one whose detour into a route that can take
// it is shortest. A route begins with a distant customer (row 0) or a random one.
//
// For each waiting customer, the kernel stores the best edge at which to insert it, as the number
// of the node at which the edge starts: a customer, or the depot of a route (see OpenRoutes). After
// an insertion, it compares this edge with the two new ones. It searches all edges again only if
// this edge is gone or its route can no longer take the customer.
#pragma once

#include "routes/construction/open_routes.cuh"
#include "backends/include/philox.cuh"

namespace gls {

// first(routes) returns the first of `routes` open routes that still takes customers.
struct AllRoutes {
  GLS_DEVICE static int first(int) { return 0; }
};
struct LastRoute {
  GLS_DEVICE static int first(int routes) { return routes - 1; }
};

// Parameters, and memory for each row: arrays with one number per node, or two in `after`.
struct InsertionRows {
  int at_once;  // number of routes that begin before the first insertion
  uint64 seed;
  int* after;
  int* owners;
  int64* loads;
  void* durations;
  int* waiting;
  void* detours;
  int* edges;
};

template <class Team, class Vehicles, class Taking>
struct CheapestInsertion {
  using Length = typename Vehicles::Length;
  using Time = typename Vehicles::Time;

  GLS_DEVICE static void run(const Team& team, int item, const RouteRows& rows,
                             const InsertionRows& memory) {
    const Vehicles vehicles(rows.nodes_data, rows.vehicles);
    CheapestInsertion row(team, item, vehicles, memory);
    row.begin(memory.at_once);
    while (row.count > 0) {
      if (!row.insert_best()) row.begin_another();
    }
    const int64 first = int64(item) * vehicles.customers;
    team.once([&] { row.routes.write(row.opened, rows.orders + first, rows.begins + first); });
  }

 private:
  using Routes = OpenRoutes<Vehicles>;
  using Edge = typename Routes::Edge;

  const Team& team;
  const Vehicles& vehicles;
  const bool farthest;  // whether routes begin with the farthest customer, not a random one
  const Routes routes;
  int* const waiting;
  Length* const detours;  // detour of each customer at its best edge
  int* const edges;       // the nodes at which these edges start; -1: no edge fits
  Philox random;
  int count;       // number of waiting customers
  int opened = 0;  // number of routes

  GLS_DEVICE CheapestInsertion(const Team& team, int item, const Vehicles& vehicles,
                               const InsertionRows& memory)
      : CheapestInsertion(team, item, int64(item) * (vehicles.customers + 1), vehicles, memory) {}
  GLS_DEVICE CheapestInsertion(const Team& team, int item, int64 at, const Vehicles& vehicles,
                               const InsertionRows& memory)
      : team(team),
        vehicles(vehicles),
        farthest(item == 0),
        routes{vehicles, memory.after + 2 * at, memory.owners + at, memory.loads + at,
               static_cast<Time*>(memory.durations) + at},
        waiting(memory.waiting + at),
        detours(static_cast<Length*>(memory.detours) + at),
        edges(memory.edges + at),
        random(memory.seed, Purpose::kInsertion, item),
        count(vehicles.customers) {}

  // Begins `at_once` routes with customers that are far from each other, and finds all best edges.
  GLS_DEVICE void begin(int at_once) {
    team.each(count, [&](int index) {
      waiting[index] = index + 1;
      detours[index + 1] = vehicles.length(0, index + 1);
    });
    team.sync();
    while (opened < at_once && count > 0) {
      const int begun = begin_route();
      team.each(count, [&](int w) {  // so that the next customer is also far from this one
        const int c = waiting[w];
        const Length length = vehicles.length(begun, c);
        if (length < detours[c]) detours[c] = length;
      });
      team.sync();
    }
    look_at_all();
  }

  // Begins a route when no customer fits into the existing ones.
  GLS_DEVICE void begin_another() {
    team.each(count, [&](int w) { detours[waiting[w]] = vehicles.length(0, waiting[w]); });
    team.sync();
    begin_route();
    look_at_all();
  }

  // Begins a route with the customer whose distance in `detours` is largest, or with a random one,
  // and returns the customer.
  GLS_DEVICE int begin_route() {
    using Far = Ranked<Length>;
    const int drawn = farthest ? -1 : int(random.below(count));
    const Far far = team.least(drawn < 0 ? count : 0, Far{Length(1), vehicles.customers + 1},
                               [&](int w) { return Far{-detours[waiting[w]], waiting[w]}; });
    const int customer = drawn < 0 ? int(far.index) : waiting[drawn];
    team.sync();
    team.once([&] {
      routes.open(opened, customer);
      take(customer);
    });
    ++opened;
    --count;
    return customer;
  }

  // Inserts the customer with the shortest detour. Returns false if no customer fits.
  GLS_DEVICE bool insert_best() {
    const Edge next = team.least(count, Routes::nothing(), [&](int w) {
      const int c = waiting[w];
      return edges[c] < 0 ? Routes::nothing() : Edge{detours[c], c};
    });
    if (next.index < 0) return false;
    const int customer = int(next.index), from = edges[customer];
    team.sync();
    team.once([&] {
      routes.insert(Edge{next.value, from}, customer);
      take(customer);
    });
    --count;
    team.each(count, [&](int w) { update(waiting[w], from, customer); });
    team.sync();
    return true;
  }

  // Updates the best edge of customer c after `inserted` was placed on the edge that started at
  // `from`.
  GLS_DEVICE void update(int c, int from, int inserted) const {
    const int route = routes.route_of(inserted);
    Edge known{detours[c], edges[c]};
    const bool takes = routes.takes(route, c);
    if (known.index >= 0 && routes.route_of(int(known.index)) == route &&
        (!takes || known.index == from || !routes.in_time(route, c, known.value) ||
         !routes.in_limits(route, int(known.index), c))) {
      look_at_all(c);
    } else if (takes) {
      known = routes.better(known, from, route, c);
      set(routes.better(known, inserted, route, c), c);
    }
  }

  GLS_DEVICE void look_at_all() const {
    team.each(count, [&](int w) { look_at_all(waiting[w]); });
    team.sync();
  }
  GLS_DEVICE void look_at_all(int customer) const {
    set(routes.best_edge(customer, Taking::first(opened), opened), customer);
  }
  GLS_DEVICE void set(const Edge& edge, int customer) const {
    detours[customer] = edge.value;
    edges[customer] = int(edge.index);
  }

  // Removes a customer from `waiting`; the last waiting customer takes its place.
  GLS_DEVICE void take(int customer) const {
    for (int w = 0; w < count; ++w) {
      if (waiting[w] == customer) {
        waiting[w] = waiting[count - 1];
        return;
      }
    }
  }
};

}  // namespace gls
