// Edge assembly of routes (Nagata and Braysy 2009): the child is the first parent, but the second
// parent's edges of one AB-cycle replace the first parent's edges of this cycle. This may leave
// subtours, which do not visit the depot. The best exchange of two edges joins the smallest
// subtour to another one or to a route, or makes it a new route; this is repeated until no subtour
// is left.
#pragma once

#include "tours/problem/metric.cuh"
#include "routes/kernels/near_nodes.cuh"
#include "routes/problem/vehicles.cuh"
#include "runs/crossovers/pairs.cuh"
#include "routes/crossovers/route_cycles.cuh"

namespace gls {

// The connected parts of a solution. Part 0 consists of all routes; each other part is a subtour.
template <class City>
struct RouteParts {
  RouteGraph<City>& graph;
  City* part;     // the part of each customer
  int* sizes;     // number of customers of each part
  int count = 0;  // number of subtours before the first join

  // Called by one lane: numbers the parts and returns how many subtours there are.
  GLS_DEVICE int number() const {
    const int n = graph.customers, unknown = n;  // no part has this number
    for (int c = 1; c <= n; ++c) part[c] = City(unknown);
    for (int c = 1; c <= n; ++c) {
      if (int(part[c]) == unknown && graph.slot_of(c, 0) < 2) mark(c, 0, 0);
    }
    int found = 0;
    for (int c = 1; c <= n; ++c) {
      if (int(part[c]) != unknown) continue;
      ++found;
      sizes[found] = mark(c, graph.at(c, 0), found);
    }
    return found;
  }

  // Gives the number of a part to the customers from `begin` on, in the direction away from
  // `before`, up to the depot or once around the subtour. Returns the number of these customers.
  GLS_DEVICE int mark(int begin, int before, int number) const {
    int size = 0, c = begin;
    do {
      part[c] = City(number);
      const int next = graph.onward(c, before);
      before = c, c = next, ++size;
    } while (c != 0 && c != begin);
    return size;
  }

  // The part number of the smallest remaining subtour.
  template <class Team>
  GLS_DEVICE int smallest(const Team& team) const {
    using Size = Ranked<int>;
    const Size none{graph.customers + 1, 0};
    const Size found = team.least(
        count, none, [&](int k) { return sizes[k + 1] > 0 ? Size{sizes[k + 1], k + 1} : none; });
    return int(found.index);
  }

  // Moves all customers of part `gone` to part `into`.
  template <class Team>
  GLS_DEVICE void unite(const Team& team, int gone, int into) const {
    team.each(graph.customers, [&](int k) {
      if (int(part[k + 1]) == gone) part[k + 1] = City(into);
    });
    team.once([&] {
      if (into > 0) sizes[into] += sizes[gone];
      sizes[gone] = 0;
    });
  }
};

template <class Team, class Metric, class Memory>
struct RouteEdgeAssembly {
  using City = typename Memory::City;
  using Length = typename Metric::Length;
  using Parts = RouteParts<City>;
  using Choice = Ranked<Length>;

  GLS_DEVICE static int64 bytes(int customers, int copies) {
    return RouteGraph<City>::bytes(customers) + RouteCycles<City>::bytes(customers, copies);
  }

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             int customers, TourPairs pairs, NearNodes near) {
    const int copies = n - customers;
    const Metric length(metric_data, n);
    Memory memory(team, item, bytes(customers, copies), 0, pairs.scratch);
    RouteGraph<City> child(customers, memory);
    RouteCycles<City> cycles(customers, copies, memory);
    child.read(team, n, pairs.first_of(item, n));
    cycles.begin(team, n, pairs.first_of(item, n), pairs.second_of(item, n));
    Exchanged& shared = shared_slot<Exchanged>(team);
    Parts parts{child, cycles.walk, cycles.latest};  // reuses memory that only the walk needs
    team.once([&] {
      Philox random(pairs.seed, Purpose::kOffspring, pairs.first_row + item);
      random.seek(2 * pairs.generation * n);  // skips eight random numbers per city and generation
      cycles.draw(random);
      exchange(cycles, child);
      shared = {cycles.edges, child.loops, cycles.edges > 0 ? parts.number() : 0};
    });
    if (shared.edges == 0) return;  // the child is the first parent
    child.loops = shared.loops, parts.count = shared.parts;
    team.sync();
    for (int left = parts.count; left > 0; --left) join(team, length, near, parts, shared);
    team.once([&] { write(child, parts, copies, pairs.child_of(item, n)); });
  }

 private:
  // Values that one lane passes to the others.
  struct Exchanged {
    int edges, loops, parts;
  };

  // Called by one lane: replaces the first parent's edges of the cycle by those of the second.
  GLS_DEVICE static void exchange(const RouteCycles<City>& cycles, RouteGraph<City>& child) {
    const auto each_of = [&](int parity, auto use) {
      for (int i = 0; i < cycles.edges; ++i) {
        const int to = i + 1 < cycles.edges ? i + 1 : 0;
        if ((cycles.first + i) % 2 == parity) use(int(cycles.kept[i]), int(cycles.kept[to]));
      }
    };
    each_of(0, [&](int u, int v) { child.take_out(u, v); });
    each_of(1, [&](int u, int v) { child.put_in(u, v); });
  }

  // An exchange of two edges: (u, from) and (v, to) become (u, v) and (from, to). If v is the
  // depot, (v, to) is an empty route, which the subtour then fills.
  struct Join {
    int u, from, v, to;
  };
  // The length that a join adds to the child.
  GLS_DEVICE static Length loss(const Metric& length, const Join& join) {
    return length(join.u, join.v) + length(join.from, join.to) - length(join.u, join.from) -
           length(join.v, join.to);
  }

  // Each join has a number. The lower numbers count through all customers u, the ranks of v among
  // the nodes near u (the depot has the last rank), and the sides on which u and v are cut. The
  // higher numbers count through all customers v and the sides, for a single customer u = `only`.
  GLS_DEVICE static Join read_join(const NearNodes& near, const Parts& parts, int only,
                                   int64 number) {
    const RouteGraph<City>& graph = parts.graph;
    const int ranks = near.near_each + 1, side = int(number / 2 % 2), other = int(number % 2);
    const int64 place = number / 4, beyond = int64(graph.customers) * ranks;
    const bool listed = place < beyond;
    const int u = listed ? 1 + int(place / ranks) : only, rank = int(place % ranks);
    const int v = !listed ? 1 + int(place - beyond) : rank < near.near_each ? near(u, rank) : 0;
    return {u, graph.at(u, side), v, v == 0 ? 0 : graph.at(v, other)};
  }

  // The best join of a subtour with a node outside it, among the 4 * `places` joins from number
  // 4 * `first_number` on; the index is -1 if none of them is such a join.
  template <class Number>
  GLS_DEVICE static Choice best_join(const Team& team, const Metric& length, const NearNodes& near,
                                     const Parts& parts, int subtour, int only, int places,
                                     Number first_number) {
    const Choice none{endless<Length>(), -1};
    return team.least(places, none, [&](int place) {
      Choice best = none;
      for (int way = 0; way < 4; ++way) {
        const int64 number = 4 * (first_number + place) + way;
        const Join join = read_join(near, parts, only, number);
        if (int(parts.part[join.u]) != subtour) return none;
        if (join.v == 0 ? parts.graph.loops == 0 : int(parts.part[join.v]) == subtour) return none;
        const Choice found{loss(length, join), number};
        if (found < best) best = found;
      }
      return best;
    });
  }

  // Joins the smallest subtour to another part.
  GLS_DEVICE static void join(const Team& team, const Metric& length, const NearNodes& near,
                              Parts& parts, Exchanged& shared) {
    const int n = parts.graph.customers, subtour = parts.smallest(team);
    const int places = n * (near.near_each + 1);
    Choice best = best_join(team, length, near, parts, subtour, 0, places, int64(0));
    int only = 0;
    if (best.index < 0) {  // all near nodes are in the subtour: try all v for one customer u
      only = team.least(n, n, [&](int k) { return int(parts.part[k + 1]) == subtour ? k : n; }) + 1;
      best = best_join(team, length, near, parts, subtour, only, n, int64(places));
    }
    const Join chosen = read_join(near, parts, only, best.index);
    const int into = chosen.v == 0 ? 0 : int(parts.part[chosen.v]);
    team.sync();  // all lanes have read the edges that now change
    team.once([&] {
      RouteGraph<City>& graph = parts.graph;
      graph.replace(chosen.u, chosen.from, chosen.v);
      graph.replace(chosen.from, chosen.u, chosen.to);
      graph.replace(chosen.v, chosen.to, chosen.u);
      graph.replace(chosen.to, chosen.v, chosen.from);
      if (chosen.v == 0) --graph.loops;
      shared.loops = graph.loops;
    });
    parts.graph.loops = shared.loops;
    parts.unite(team, subtour, into);
  }

  // Called by one lane: writes the giant tour, with empty routes last. Each route has the direction
  // of most of its customers in the first parent, whose slots are the node before and the one
  // after.
  GLS_DEVICE static void write(const RouteGraph<City>& child, const Parts& parts, int copies,
                               int* tour) {
    const int n = child.customers, written = n;
    int place = 0, routes = 0;
    const auto depot = [&](int route) { return route == 0 ? 0 : n + route; };
    const auto walk = [&](int begin, auto visit) {
      for (int node = begin, before = 0; node != 0;) {
        visit(node, before);
        const int next = child.onward(node, before);
        before = node, node = next;
      }
    };
    for (int c = 1; c <= n; ++c) {
      if (int(parts.part[c]) == written || child.slot_of(c, 0) == 2) continue;
      int kept = 0, end = c;
      walk(c, [&](int node, int before) {
        kept += child.at(node, 0) == before ? 1 : -1;
        end = node;
      });
      tour[place++] = depot(routes++);
      walk(kept < 0 ? end : c, [&](int node, int) {
        tour[place++] = node;
        parts.part[node] = City(written);
      });
    }
    for (; routes < copies; ++routes) tour[place++] = depot(routes);
  }
};

}  // namespace gls
