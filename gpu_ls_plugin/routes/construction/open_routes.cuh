// Routes that customers join and leave, as linked lists from depot to depot, with loads and
// durations.
//
// Route r begins at node `customers + 1 + r`, a copy of the depot, and ends at node 0.
#pragma once

#include "routes/problem/vehicles.cuh"

namespace gls {

// `Order` says what an insertion costs (insertion.cuh).
template <class Vehicles, class Order>
struct OpenRoutes {
  using Length = typename Vehicles::Length;
  using Time = typename Vehicles::Time;
  using Edge = Ranked<Length>;  // what the insertion costs, and the node at which the edge starts
  using Path = typename Vehicles::Resources::Segment;

  static constexpr int kNoRoute = -1;

  const Vehicles& vehicles;
  const Order order;
  int* after;   // the node after each customer or depot; 0 at the end of a route
  int* owners;  // the route of each customer
  int64* loads;
  Time* durations;
  Path* paths;  // from the depot to each customer; of node 0: the whole route measured last

  GLS_DEVICE int depot(int route) const { return vehicles.customers + 1 + route; }
  // The node in the metric: 0 for all depots.
  GLS_DEVICE int place(int node) const { return node > vehicles.customers ? 0 : node; }
  GLS_DEVICE int route_of(int node) const {
    return node > vehicles.customers ? node - vehicles.customers - 1 : owners[node];
  }
  GLS_DEVICE static Edge nothing() { return {endless<Length>(), -1}; }

  GLS_DEVICE bool takes(int route, int customer) const {
    return vehicles.holds(loads[route] + vehicles.demands[customer]);
  }
  GLS_DEVICE Length detour(int node, int customer) const {
    return vehicles.detour(place(node), customer, after[node]);
  }
  // The duration of the route of a node if it visits a customer after the node.
  GLS_DEVICE Time duration(int node, int customer) const {
    return durations[route_of(node)] + Time(detour(node, customer)) + vehicles.services[customer];
  }

  // The path from the depot to a node, and a path that goes on from its last node to another.
  GLS_DEVICE Path path(int node) const {
    return node > vehicles.customers ? vehicles.resources.at(0) : paths[node];
  }
  GLS_DEVICE Path longer(const Path& known, int last, int next) const {
    const auto& resources = vehicles.resources;
    return resources.join(known, resources.at(next), vehicles.length(place(last), next));
  }
  // Computes the paths to all nodes behind a node.
  GLS_DEVICE void measure(int node) const {
    if constexpr (!Vehicles::Resources::kAny) return;
    do {
      const int next = after[node];
      paths[next] = longer(path(node), node, next);
      node = next;
    } while (node != 0);
  }

  // Whether duration and further resources allow a customer after a node.
  GLS_DEVICE bool allows(int node, int customer) const {
    if (duration(node, customer) > vehicles.limit) return false;
    if constexpr (!Vehicles::Resources::kAny) return true;
    Path whole = longer(path(node), node, customer);
    for (int last = customer, next = node; last != 0; last = next) {
      next = after[next];
      whole = longer(whole, last, next);
    }
    return !(vehicles.resources.price(whole) > 0);
  }

  // How much later the next node is served if a customer is inserted after a node of the route
  // measured last.
  GLS_DEVICE Length delay(int node, int customer) const {
    if constexpr (!Vehicles::Resources::kTimed) return 0;
    const auto& resources = vehicles.resources;
    const int next = after[node];
    const Path later = longer(longer(path(node), node, customer), customer, next);
    return Length(resources.end(later) - resources.end(paths[next]));
  }

  GLS_DEVICE Edge edge(int node, int customer) const {
    return {order.cost(detour(node, customer), [&] { return delay(node, customer); }), node};
  }

  // The better of a known edge and the edge that starts at a node of the route; the latter counts
  // only if the customer can be inserted there within all limits.
  GLS_DEVICE Edge better(const Edge& known, int node, int customer) const {
    const Edge other = edge(node, customer);
    return other < known && allows(node, customer) ? other : known;
  }

  // The best edge at which to insert a customer, in routes `first` to `end` - 1.
  GLS_DEVICE Edge best_edge(int customer, int first, int end) const {
    Edge best = nothing();
    for (int route = first; route < end; ++route) {
      if (!takes(route, customer)) continue;
      for (int node = depot(route), next = 1; next != 0; node = next) {
        next = after[node];
        best = better(best, node, customer);
      }
    }
    return best;
  }

  GLS_DEVICE void open(int route, int customer) const {
    after[depot(route)] = customer;
    after[customer] = 0;
    owners[customer] = route;
    loads[route] = vehicles.demands[customer];
    durations[route] = vehicles.alone(customer);
    measure(depot(route));
  }

  GLS_DEVICE void insert(int node, int customer) const {
    const int route = route_of(node);
    durations[route] = duration(node, customer);
    after[customer] = after[node];
    after[node] = customer;
    owners[customer] = route;
    loads[route] += vehicles.demands[customer];
    measure(node);
  }

  GLS_DEVICE void write(int routes, int* order, unsigned char* begins) const {
    int p = 0;
    for (int route = 0; route < routes; ++route) {
      for (int c = after[depot(route)], begin = 1; c != 0; c = after[c], begin = 0) {
        order[p] = c;
        begins[p++] = begin;
      }
    }
  }
};

}  // namespace gls
