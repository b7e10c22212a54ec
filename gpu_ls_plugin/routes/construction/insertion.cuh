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

// An order of insertion says which customers begin routes, which routes take customers, and what an
// insertion costs. first(routes) returns the first of `routes` open routes that still takes some.
struct ByDetour {
  static constexpr bool soonest = false;
  static constexpr int delays = 0, distances = 0;
  bool random;

  GLS_DEVICE ByDetour(int item, Philox&) : random(item > 0) {}
  template <class Length, class Delay>
  GLS_DEVICE Length cost(Length detour, Delay) const {
    return detour;
  }
};
struct AllRoutes : ByDetour {
  using ByDetour::ByDetour;
  GLS_DEVICE static int first(int) { return 0; }
};
struct LastRoute : ByDetour {
  using ByDetour::ByDetour;
  GLS_DEVICE static int first(int routes) { return routes - 1; }
};
// I1 of Solomon (1987). Each customer's best edge has the least weighted sum of detour and delay;
// the customer whose sum, minus its weighted distance from the depot, is least comes next. Weights
// are in eighths: alpha1, alpha2 and lambda. Row 0 has alpha1 = 1 and lambda = 2. Other rows draw
// them, and whether routes begin with the farthest customer, the one with the earliest deadline or
// a random one.
struct Solomon {
  bool random = false, soonest = false;
  int detours = 8, delays = 0, distances = 16;

  GLS_DEVICE Solomon(int item, Philox& numbers) {
    if (item == 0) return;
    const int beginning = int(numbers.below(3));
    random = beginning == 1, soonest = beginning == 2;
    delays = int(numbers.below(8)), detours = 8 - delays, distances = 8 + int(numbers.below(9));
  }
  GLS_DEVICE static int first(int routes) { return routes - 1; }
  template <class Length, class Delay>
  GLS_DEVICE Length cost(Length detour, Delay delay) const {
    return detours * detour + (delays > 0 ? delays * delay() : Length(0));
  }
};

// Parameters, and memory for each row: arrays with one number per node, or two in `after`.
struct InsertionRows {
  int at_once;  // number of routes that begin before the first insertion
  uint64 seed;
  int* after;
  int* owners;
  int64* loads;
  void* durations;
  void* paths;  // segments of further resources
  int* waiting;
  void* detours;
  int* edges;
};

template <class Team, class Vehicles, class Order>
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
  using Routes = OpenRoutes<Vehicles, Order>;
  using Edge = typename Routes::Edge;

  const Team& team;
  const Vehicles& vehicles;
  Philox random;
  const Routes routes;
  int* const waiting;
  Length* const detours;  // what each customer's best edge costs, mostly its detour
  int* const edges;       // the nodes at which these edges start; -1: no edge fits
  int count;              // number of waiting customers
  int opened = 0;         // number of routes

  GLS_DEVICE CheapestInsertion(const Team& team, int item, const Vehicles& vehicles,
                               const InsertionRows& memory)
      : CheapestInsertion(team, item, int64(item) * (vehicles.customers + 1), vehicles, memory) {}
  GLS_DEVICE CheapestInsertion(const Team& team, int item, int64 at, const Vehicles& vehicles,
                               const InsertionRows& memory)
      : team(team),
        vehicles(vehicles),
        random(memory.seed, Purpose::kInsertion, item),
        routes{vehicles,
               Order(item, random),
               memory.after + 2 * at,
               memory.owners + at,
               memory.loads + at,
               static_cast<Time*>(memory.durations) + at,
               static_cast<typename Routes::Path*>(memory.paths) + at},
        waiting(memory.waiting + at),
        detours(static_cast<Length*>(memory.detours) + at),
        edges(memory.edges + at),
        count(vehicles.customers) {}

  // Begins `at_once` routes with customers that are far from each other, and finds all best edges.
  GLS_DEVICE void begin(int at_once) {
    team.each(count, [&](int index) {
      waiting[index] = index + 1;
      detours[index + 1] = distance(index + 1);
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
    team.each(count, [&](int w) { detours[waiting[w]] = distance(waiting[w]); });
    team.sync();
    begin_route();
    look_at_all();
  }

  // The distance from the depot or, if customers with the earliest deadlines begin routes, less for
  // later ones.
  GLS_DEVICE Length distance(int customer) const {
    if constexpr (Vehicles::Resources::kTimed) {
      if (routes.order.soonest) return Length(-vehicles.resources.deadline(customer));
    }
    return vehicles.length(0, customer);
  }

  // Begins a route with the customer whose distance in `detours` is largest, or with a random one,
  // and returns the customer.
  GLS_DEVICE int begin_route() {
    const int drawn = routes.order.random ? int(random.below(count)) : -1;
    const Edge far = team.least(drawn < 0 ? count : 0, Routes::nothing(),
                                [&](int w) { return Edge{-detours[waiting[w]], waiting[w]}; });
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

  // Inserts the customer with the cheapest insertion. Returns false if no customer fits.
  GLS_DEVICE bool insert_best() {
    const Edge next = team.least(count, Routes::nothing(), [&](int w) {
      const int c = waiting[w];
      if (edges[c] < 0) return Routes::nothing();
      const int weight = routes.order.distances;
      return Edge{weight == 0 ? detours[c] : detours[c] - weight * vehicles.length(0, c), c};
    });
    if (next.index < 0) return false;
    const int customer = int(next.index), from = edges[customer];
    team.sync();
    team.once([&] {
      routes.insert(from, customer);
      take(customer);
    });
    --count;
    team.each(count, [&](int w) { update(waiting[w], from, customer); });
    team.sync();
    return true;
  }

  // Updates the best edge of customer c after `inserted` was placed on the edge that started at
  // `from`. Edges that did not fit before are not tried again.
  GLS_DEVICE void update(int c, int from, int inserted) const {
    const int route = routes.route_of(inserted);
    Edge known{detours[c], edges[c]};
    const bool takes = routes.takes(route, c);
    if (known.index >= 0 && routes.route_of(int(known.index)) == route &&
        (!takes || known.index == from || routes.order.delays > 0 ||
         !routes.allows(int(known.index), c))) {
      look_at_all(c);
    } else if (takes) {
      known = routes.better(known, from, c);
      set(routes.better(known, inserted, c), c);
    }
  }

  GLS_DEVICE void look_at_all() const {
    team.each(count, [&](int w) { look_at_all(waiting[w]); });
    team.sync();
  }
  GLS_DEVICE void look_at_all(int customer) const {
    set(routes.best_edge(customer, Order::first(opened), opened), customer);
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
