// Routes as a graph, stored as the two neighbours of each customer. All copies of the depot are
// node 0. A slot without an edge holds the customer itself. An empty route is a loop at the depot.
#pragma once

#include "tours/kernels/tour_memory.cuh"

namespace gls {

template <class City>
struct RouteGraph {
  int customers;
  City* slots;    // the neighbours of customer c are in slots 2 c and 2 c + 1
  int loops = 0;  // number of empty routes

  template <class Memory>
  GLS_DEVICE RouteGraph(int customers, Memory& memory)
      : customers(customers), slots(memory.template take<City>(2 * (customers + 1))) {}

  GLS_DEVICE static int64 bytes(int customers) { return piece_bytes<City>(2 * (customers + 1)); }

  GLS_DEVICE int at(int customer, int slot) const { return int(slots[2 * customer + slot]); }
  // Whether a slot has an edge.
  GLS_DEVICE bool open(int customer, int slot) const { return at(customer, slot) != customer; }
  // The slot of a customer that holds this neighbour, or 2 if neither slot does.
  GLS_DEVICE int slot_of(int customer, int neighbour) const {
    return at(customer, 0) == neighbour ? 0 : at(customer, 1) == neighbour ? 1 : 2;
  }
  // The node of a city of the giant tour: 0 for all copies of the depot.
  GLS_DEVICE int node(int city) const { return city > customers ? 0 : city; }

  // Reads a giant tour of n places.
  template <class Team>
  GLS_DEVICE void read(const Team& team, int n, const int* tour) {
    loops = team.template sum<int>(n, [&](int p) {
      const int city = node(tour[p]), next = node(tour[p + 1 < n ? p + 1 : 0]);
      if (city != 0) {
        slots[2 * city] = City(node(tour[p > 0 ? p - 1 : n - 1]));
        slots[2 * city + 1] = City(next);
      }
      return int(city == 0 && next == 0);
    });
    team.sync();
  }

  // Replaces a neighbour of a customer with another one; does nothing for the depot.
  GLS_DEVICE void replace(int customer, int neighbour, int by) const {
    if (customer != 0) slots[2 * customer + slot_of(customer, neighbour)] = City(by);
  }
  // Called by one lane: removes an edge.
  GLS_DEVICE void take_out(int u, int v) {
    loops -= u == 0 && v == 0;
    replace(u, v, u);
    replace(v, u, v);
  }
  // Called by one lane: adds an edge.
  GLS_DEVICE void put_in(int u, int v) {
    loops += u == 0 && v == 0;
    replace(u, u, v);
    replace(v, v, u);
  }
  // The neighbour of a customer other than `from`.
  GLS_DEVICE int onward(int customer, int from) const {
    return at(customer, at(customer, 0) == from);
  }
};

}  // namespace gls
