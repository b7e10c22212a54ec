// Routes that customers join and leave, as linked lists from depot to depot, with loads and
// durations.
//
// Route r begins at node `customers + 1 + r`, a copy of the depot, and ends at node 0.
#pragma once

#include "routes/problem/vehicles.cuh"

namespace gls {

template <class Vehicles>
struct OpenRoutes {
  using Length = typename Vehicles::Length;
  using Time = typename Vehicles::Time;
  using Edge = Ranked<Length>;  // the detour, and the node at which the edge starts

  static constexpr int kNoRoute = -1;

  const Vehicles& vehicles;
  int* after;   // the node after each customer or depot; 0 at the end of a route
  int* owners;  // the route of each customer
  int64* loads;
  Time* durations;

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
  GLS_DEVICE bool in_time(int route, int customer, Length detour) const {
    return durations[route] + Time(detour) + vehicles.services[customer] <= vehicles.limit;
  }

  // Whether further resources allow a customer after a node of a route.
  GLS_DEVICE bool in_limits(int route, int node, int customer) const {
    int last = depot(route);
    bool inserted = false;
    const auto next = [&] {
      if (last == node && !inserted) {
        inserted = true;
        return customer;
      }
      return last = after[last];
    };
    return !(vehicles.dues(next) > 0);
  }

  GLS_DEVICE Edge edge(int node, int customer) const {
    return {vehicles.detour(place(node), customer, after[node]), node};
  }

  // The better of a known edge and the edge that starts at a node of the route; the latter counts
  // only if the customer can be inserted there within all limits.
  GLS_DEVICE Edge better(const Edge& known, int node, int route, int customer) const {
    const Edge other = edge(node, customer);
    const bool fits = other < known && in_time(route, customer, other.value);
    return fits && in_limits(route, node, customer) ? other : known;
  }

  // The best edge at which to insert a customer, in routes `first` to `end` - 1.
  GLS_DEVICE Edge best_edge(int customer, int first, int end) const {
    Edge best = nothing();
    for (int route = first; route < end; ++route) {
      if (!takes(route, customer)) continue;
      for (int node = depot(route), next = 1; next != 0; node = next) {
        next = after[node];
        best = better(best, node, route, customer);
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
  }

  GLS_DEVICE void insert(const Edge& at, int customer) const {
    const int node = int(at.index), route = route_of(node);
    after[customer] = after[node];
    after[node] = customer;
    owners[customer] = route;
    loads[route] += vehicles.demands[customer];
    durations[route] += Time(at.value) + vehicles.services[customer];
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
