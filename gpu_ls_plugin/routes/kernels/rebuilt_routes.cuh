// Reinsertion of customers that have been removed from their routes. The next customer is always
// the one with the largest regret: how much more its best place in another route costs than its
// best place overall.
//
// A customer goes next to a near customer or begins a route. A few places are skipped at random;
// otherwise most customers would go back to their old places.
#pragma once

#include "routes/construction/open_routes.cuh"
#include "routes/kernels/near_nodes.cuh"
#include "backends/include/philox.cuh"

namespace gls {

// Data and memory for rebuilding rows.
struct RebuiltRows {
  const void* nodes_data;  // data of the metric for the depot and the customers
  const uint64* vehicles;  // VehiclesData
  const int* near;         // NearNodes
  int near_each;           // number of near nodes per customer
  int* after;              // rows of successors of nodes
  int* before;             // rows of predecessors of customers
  int* owners;             // rows of customers' routes
  int* waiting;            // rows of customers to insert
  int64* loads;            // rows of routes' loads
  void* durations;         // rows of routes' durations
  void* options;           // rows of waiting customers' Options
  int room;                // maximum number of waiting customers of a row
  float price;             // price per unit of excess load; negative if excess load is not allowed
};

// State that the lanes of a row share.
struct RebuiltState {
  int routes;     // number of routes, including empty ones
  int spare;      // an empty route that a customer may begin, or -1
  int count;      // number of waiting customers
  int from;       // the node after which the last insertion was made
  int joined;     // the customer inserted last
  int changed;    // the route of this customer
  uint32 blinks;  // a random number that decides which places are skipped
};

constexpr int kOptionWords = 5;  // number of 8-byte words for the Options of a customer

// The routes of a giant tour; some of its customers wait to be inserted.
template <class Vehicles>
struct RebuiltRoutes {
  using Length = typename Vehicles::Length;
  using Routes = OpenRoutes<Vehicles>;
  using Edge = typename Routes::Edge;

  // The best edge at which to insert a customer, and the best edge of another route.
  struct Options {
    Edge best, second;
    int route, other;  // the routes of these edges, or -1

    GLS_DEVICE void offer(const Edge& edge, int its_route) {
      if (edge < best) {
        if (route != its_route) second = best, other = route;
        best = edge, route = its_route;
      } else if (its_route != route && edge < second) {
        second = edge, other = its_route;
      }
    }
    GLS_DEVICE void offer(const Options& others) {
      if (others.route >= 0) offer(others.best, others.route);
      if (others.other >= 0) offer(others.second, others.other);
    }
    // The regret. Customers that only one route can take come first, and those that no route can
    // take come last.
    GLS_DEVICE Length regret() const {
      if (route < 0) return Length(-1);
      return (other < 0 ? endless<Length>() / 2 : second.value) - best.value;
    }
  };

  static_assert(sizeof(Options) <= 8 * kOptionWords,
                "Options of a customer must fit into kOptionWords words");

  const Routes routes;
  int* before;       // predecessors of customers
  int* waiting;      // customers to insert
  Options* options;  // of waiting customers
  const NearNodes near;
  const int room;
  const float price;
  RebuiltState& state;

  // Reads the routes of a giant tour, but not their loads. Each lane reads an equal share of its
  // places.
  template <class Team>
  GLS_DEVICE void read(const Team& team, const int* tour, int nodes) const {
    const int n = routes.vehicles.customers;
    const auto is_depot = [&](int node) { return node == 0 || node > n; };
    const int first =
        team.least(nodes, nodes, [&](int p) { return is_depot(tour[p]) ? p : nodes; });
    const auto at = [&](int step) {
      const int place = first + step;
      return tour[place < nodes ? place : place - nodes];
    };
    const int own = (nodes + Team::kLanes - 1) / Team::kLanes, from = team.lane() * own;
    const int begin = from < nodes ? from : nodes, end = begin + own < nodes ? begin + own : nodes;
    const auto begins = [&](int step) { return is_depot(at(step)) && !is_depot(at(step + 1)); };
    int count = 0;
#pragma unroll 1
    for (int step = begin; step < end; ++step) count += begins(step);
    const Scanned<int> known = team.scan(count, 0, [](int a, int b) { return a + b; });
    int route = known.before - 1;
#pragma unroll 1
    for (int step = begin; step < end; ++step) {
      const int node = at(step), next = at(step + 1);
      if (begins(step)) {
        link(routes.depot(++route), next);
      } else if (!is_depot(node)) {
        routes.owners[node] = route;
        link(node, is_depot(next) ? 0 : next);
      }
    }
    team.once([&] { state.routes = known.all; });
  }

  GLS_DEVICE void link(int node, int next) const {
    routes.after[node] = next;
    if (next != 0) before[next] = node;
  }

  // Measures the routes that have changed; a negative load marks them.
  template <class Team>
  GLS_DEVICE void measure_changed(const Team& team) const {
    team.each(state.routes, [&](int route) {
      if (routes.loads[route] < 0) routes.measure(route);
    });
    team.sync();
  }

  // Called by one lane: finds an empty route that a customer may begin, or adds one if the
  // fleet allows it.
  GLS_DEVICE void find_spare() const {
    state.spare = -1;
    for (int route = 0; route < state.routes && state.spare < 0; ++route) {
      if (routes.after[routes.depot(route)] == 0) state.spare = route;
    }
    if (state.spare < 0 && state.routes < routes.vehicles.most) state.spare = begin_route();
  }
  GLS_DEVICE int begin_route() const {
    const int route = state.routes++;
    routes.after[routes.depot(route)] = 0;
    routes.loads[route] = 0;
    routes.durations[route] = 0;
    return route;
  }

  // True for one place in 64, at random.
  GLS_DEVICE bool is_skipped(int customer, int node) const {
    uint32 bits = state.blinks ^ uint32(customer) * 0x9E3779B1u ^ uint32(node) * 0x85EBCA77u;
    bits = (bits ^ bits >> 15) * 0x2C1B3C6Du;
    return (bits >> 20 & 63) == 0;
  }

  GLS_DEVICE bool may_take(int route, int customer) const {
    return price >= 0 || routes.takes(route, customer);
  }
  // Price of the excess load that a customer would add to a route.
  GLS_DEVICE Length overload(int route, int customer) const {
    const int64 room = routes.vehicles.capacity - routes.loads[route];
    const int64 demand = routes.vehicles.demands[customer];
    return demand <= room ? Length(0) : Length(price * float(demand - (room > 0 ? room : 0)));
  }

  // The best options of a customer among its near nodes with ranks lane, lane + lanes, ...; lane 0
  // also considers an empty route.
  GLS_DEVICE Options options_of(int customer, int lane, int lanes) const {
    Options found{Routes::nothing(), Routes::nothing(), -1, -1};
    const auto offer = [&](int node, int route, Length more) {
      const Edge edge = routes.edge(node, customer);
      if (!routes.in_time(route, customer, edge.value)) return;
      found.offer({edge.value + more, edge.index}, route);
    };
    if (lane == 0 && state.spare >= 0) {
      offer(routes.depot(state.spare), state.spare, 0);
    }
#pragma unroll 1
    for (int rank = lane; rank < near.near_each; rank += lanes) {
      const int node = near(customer, rank);
      const int route = node == 0 ? Routes::kNoRoute : routes.owners[node];
      if (route < 0 || !may_take(route, customer) || is_skipped(customer, node)) continue;
      const Length more = overload(route, customer);
      offer(node, route, more);
      offer(before[node], route, more);
    }
    return found;
  }

  // Finds the options of each of the first `count` waiting customers for which wanted(w) is true,
  // where w is its index.
  template <class Team, class Wanted>
  GLS_DEVICE void find_options(const Team& team, int count, Wanted wanted) const {
    constexpr int kTogether = Team::kLanes < 32 ? 1 : 32;
    const int lane = team.lane() % kTogether;
#pragma unroll 1
    for (int w = team.lane() / kTogether; w < count; w += Team::kLanes / kTogether) {
      if (!wanted(w)) continue;
      Options found = options_of(waiting[w], lane, kTogether);
#ifdef __CUDACC__
#pragma unroll
      for (int mask = kTogether / 2; mask > 0; mask /= 2) {
        found.offer(warp::shuffle(found, lane ^ mask));
      }
#endif
      if (lane == 0) options[w] = found;
    }
    team.sync();
  }

  // Called by one lane: inserts a customer in its best route, and moves the waiting customer with
  // index `last` to the place of the inserted one.
  GLS_DEVICE void join(int customer, int last) const {
    int w = 0;
    while (waiting[w] != customer) ++w;
    const Options its = options[w];
    waiting[w] = waiting[last], options[w] = options[last];
    Edge edge = its.route < 0 ? its.best : routes.edge(int(its.best.index), customer);
    if (its.route < 0) edge = routes.best_edge(customer, 0, state.routes);
    if (edge.index < 0)
      edge = routes.edge(routes.depot(begin_route()), customer);  // exceeds the fleet
    const int route = routes.route_of(int(edge.index));
    routes.insert(edge, customer);
    link(int(edge.index), customer);
    link(customer, routes.after[customer]);
    state.from = int(edge.index), state.joined = customer, state.changed = route;
    if (route == state.spare) find_spare();
  }

  // Writes the giant tour, empty routes last. Returns false if it has too few copies of the depot.
  // Each lane writes an equal share of the routes.
  template <class Team>
  GLS_DEVICE bool write(const Team& team, int* tour, int nodes) const {
    struct Written {
      int places, routes;
    };
    const int n = routes.vehicles.customers, copies = nodes - n;
    const int own = (state.routes + Team::kLanes - 1) / Team::kLanes, from = team.lane() * own;
    const int end = from + own < state.routes ? from + own : state.routes;
    Written mine{0, 0};
#pragma unroll 1
    for (int route = from; route < end; ++route) {
      int c = routes.after[routes.depot(route)];
      if (c != 0) ++mine.places, ++mine.routes;
      for (; c != 0; c = routes.after[c]) ++mine.places;
    }
    const Scanned<Written> known = team.scan(mine, Written{0, 0}, [](Written a, Written b) {
      return Written{a.places + b.places, a.routes + b.routes};
    });
    if (known.all.routes > copies) return false;
    const auto depot = [&](int number) { return number == 0 ? 0 : n + number; };
    int place = known.before.places, number = known.before.routes;
#pragma unroll 1
    for (int route = from; route < end; ++route) {
      int c = routes.after[routes.depot(route)];
      if (c != 0) tour[place++] = depot(number++);
      for (; c != 0; c = routes.after[c]) tour[place++] = c;
    }
    team.each(copies - known.all.routes,
              [&](int more) { tour[known.all.places + more] = depot(known.all.routes + more); });
    team.sync();
    return true;
  }

  // Whether the last insertion may have changed the options of a waiting customer.
  GLS_DEVICE bool is_affected(int w) const {
    const Options& its = options[w];
    const int customer = waiting[w];
    if (its.route == state.changed || its.other == state.changed) return true;
    if (!may_take(state.changed, customer)) return false;
    const Length more = overload(state.changed, customer);
    const auto is_better = [&](Edge edge) {
      edge.value += more;
      return edge < its.second;
    };
    return is_better(routes.edge(state.from, customer)) ||
           is_better(routes.edge(state.joined, customer));
  }

  // Inserts all waiting customers.
  template <class Team>
  GLS_DEVICE void recreate(const Team& team) const {
    using Choice = Ranked<Length>;
    measure_changed(team);
    bool all = true;
#pragma unroll 1
    for (int left = state.count;; --left) {
      find_options(team, left, [&](int w) { return all || is_affected(w); });
      if (left == 0) return;
      all = false;
      const Choice none{endless<Length>(), routes.vehicles.customers + 1};
      const Choice next =
          team.least(left, none, [&](int w) { return Choice{-options[w].regret(), waiting[w]}; });
      team.sync();
      team.once([&] { join(int(next.index), left - 1); });
      team.sync();
    }
  }

  // The routes of one row, in its part of the memory.
  template <class Team>
  GLS_DEVICE static RebuiltRoutes of(const Team& team, int item, const Vehicles& vehicles,
                                     const RebuiltRows& memory) {
    const int64 at = int64(item) * (vehicles.customers + 1), waits = int64(item) * memory.room;
    return {{vehicles, memory.after + 2 * at, memory.owners + at, memory.loads + at,
             static_cast<typename Vehicles::Time*>(memory.durations) + at},
            memory.before + at,
            memory.waiting + waits,
            static_cast<Options*>(memory.options) + waits,
            {memory.near, memory.near_each},
            memory.room,
            memory.price,
            shared_slot<RebuiltState>(team)};
  }
};

}  // namespace gls
