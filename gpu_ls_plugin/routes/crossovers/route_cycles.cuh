// AB-cycles of two solutions A and B (Nagata and Braysy 2009): closed walks that alternate between
// edges that only A has and edges that only B has. All copies of the depot are one node with many
// edges. An empty route is a loop at this node; if one solution has more empty routes than the
// other, its surplus loops count as edges that only it has.
#pragma once

#include "backends/include/philox.cuh"
#include "backends/include/in_order.cuh"
#include "routes/crossovers/route_graph.cuh"

namespace gls {

// The edges of one parent that the walk has not taken yet.
template <class City>
struct OpenEdges {
  RouteGraph<City> graph;
  City* beside;   // the customers of all edges at the depot, including edges that have been taken
  int count = 0;  // number of entries in `beside`

  template <class Memory>
  GLS_DEVICE OpenEdges(int customers, int copies, Memory& memory)
      : graph(customers, memory), beside(memory.template take<City>(2 * copies)) {}

  GLS_DEVICE static int64 bytes(int customers, int copies) {
    return RouteGraph<City>::bytes(customers) + piece_bytes<City>(2 * copies);
  }

  // Fills `beside`.
  template <class Team>
  GLS_DEVICE void list_beside(const Team& team) {
    count = put_kept(
        team, 2 * graph.customers, [&](int i) { return int(graph.slots[i + 2]) == 0; },
        [&](int rank, int i) { beside[rank] = City(1 + i / 2); });
  }

  // Called by one lane: takes a random edge at a node. Returns the other end of the edge, or -1 if
  // no edge is left.
  GLS_DEVICE int take(int node, Philox& random) {
    if (node == 0) return take_at_depot(random);
    const bool first = graph.open(node, 0), second = graph.open(node, 1);
    if (!first && !second) return -1;
    const int slot = first && second ? int(random.next() & 1) : int(second);
    const int next = graph.at(node, slot);
    graph.slots[2 * node + slot] = City(node);
    graph.replace(next, node, next);
    return next;
  }

 private:
  GLS_DEVICE int take_at_depot(Philox& random) {
    while (graph.loops + count > 0) {
      const int drawn = int(random.below(graph.loops + count));
      if (drawn < graph.loops) {
        --graph.loops;
        return 0;
      }
      const int customer = int(beside[drawn - graph.loops]);
      beside[drawn - graph.loops] = beside[--count];
      const int slot = graph.slot_of(customer, 0);
      if (slot == 2) continue;  // the edge was taken from the customer's end
      graph.slots[2 * customer + slot] = City(customer);
      return customer;
    }
    return -1;
  }
};

// Draws a random AB-cycle of two giant tours, A and B.
template <class City>
struct RouteCycles {
  static constexpr int kNowhere = -1;

  int customers;
  OpenEdges<City> a, b;
  // latest[2 c] is the index of node c in the walk if an edge of B leads to c, latest[2 c + 1] if
  // an edge of A does.
  int* latest;
  City* walk;     // edge i joins walk[i] and walk[i + 1]; it belongs to A if i is even
  City* kept;     // the drawn cycle
  int edges = 0;  // number of edges of the drawn cycle
  int first = 0;  // edge i of the drawn cycle belongs to A if first + i is even

  template <class Memory>
  GLS_DEVICE RouteCycles(int customers, int copies, Memory& memory)
      : customers(customers),
        a(customers, copies, memory),
        b(customers, copies, memory),
        latest(memory.template take<int>(most(customers))),
        walk(memory.template take<City>(most(customers) + 1)),
        kept(memory.template take<City>(most(customers) + 1)) {}

  GLS_DEVICE static int64 bytes(int customers, int copies) {
    return 2 * OpenEdges<City>::bytes(customers, copies) + piece_bytes<int>(most(customers)) +
           2 * piece_bytes<City>(most(customers) + 1);
  }

  // Reads the parents and keeps the edges that only one of them has.
  template <class Team>
  GLS_DEVICE void begin(const Team& team, int n, const int* first_tour, const int* second_tour) {
    a.graph.read(team, n, first_tour);
    b.graph.read(team, n, second_tour);
    const int loops = a.graph.loops < b.graph.loops ? a.graph.loops : b.graph.loops;
    a.graph.loops -= loops;
    b.graph.loops -= loops;
    team.each(customers, [&](int k) {
      const int c = k + 1;
      for (int slot = 0; slot < 2; ++slot) {
        const int other = b.graph.slot_of(c, a.graph.at(c, slot));
        if (other == 2) continue;
        a.graph.slots[2 * c + slot] = City(c);
        b.graph.slots[2 * c + other] = City(c);
      }
    });
    team.each(most(customers), [&](int i) { latest[i] = kNowhere; });
    team.sync();
    a.list_beside(team);
    b.list_beside(team);
  }

  // Called by one lane: walks until no edge is left, and keeps one of the cycles that the walk
  // closes, chosen at random.
  GLS_DEVICE void draw(Philox& random) {
    int length = 0, found = 0, from = int(random.below(customers)), left = customers;
    edges = 0;
    while (true) {
      if (length == 0) {
        while (left > 0 && !a.graph.open(1 + from, 0) && !a.graph.open(1 + from, 1)) {
          from = from + 1 < customers ? from + 1 : 0;
          --left;
        }
        if (left == 0) return;
        walk[0] = City(1 + from);
        latest[2 * (1 + from)] = 0;
      }
      const bool of_a = length % 2 == 0;
      const int next = (of_a ? a : b).take(int(walk[length]), random);
      if (next < 0) return;  // cannot happen: each node has as many edges of A as of B
      walk[++length] = City(next);
      int& here = latest[2 * next + length % 2];
      if (here == kNowhere) {
        here = length;
        continue;
      }
      const int met = here;
      if (random.below(++found) == 0) keep(met, length);
      for (int i = met + 1; i < length; ++i) latest[2 * int(walk[i]) + i % 2] = kNowhere;
      length = met;
      if (met == 0) here = kNowhere;
    }
  }

 private:
  // Number of entries in `latest`.
  GLS_DEVICE static int most(int customers) { return 2 * (customers + 1); }

  GLS_DEVICE void keep(int met, int length) {
    edges = length - met, first = met % 2;
    for (int i = 0; i < edges; ++i) kept[i] = walk[met + i];
  }
};

}  // namespace gls
