// Route exchange: routes of a second parent, the mate, replace the routes of the first parent with
// which they share the most customers (selective route exchange, Nagata and Braysy 2010). Customers
// that lose their place are reinserted by regret (see rebuilt_routes.cuh).
//
// A kick draws a customer whose successor in the mate is not its neighbour in the first parent. The
// mate's routes that serve this customer and the customers nearest to it are exchanged.
#pragma once

#include "routes/removals/ruin_recreate.cuh"

namespace gls {

// Parameters and memory of kicks that ruin or exchange routes.
struct RouteMates {
  int removed, longest;  // see Ruin
  int most;              // maximum number of routes in an exchange
  int chance;            // probability of an exchange, times 2^16
  const int* mates;      // rows of giant tours
  int* mate_places;      // for each customer: its place in the mate
  int* shares;           // for each route: number of customers in common with a route of the mate
  int rows;              // number of rows in `mates`
};

// The routes of a row. Some are exchanged for routes of its mate.
template <class Vehicles>
struct ExchangedRoutes : RuinedRoutes<Vehicles> {
  using Base = RebuiltRoutes<Vehicles>;
  using Routes = typename Base::Routes;
  using Base::near;
  using Base::room;
  using Base::routes;
  using Base::state;
  using Base::waiting;

  // Maximum number of attempts to draw a customer at which the parents differ.
  static constexpr int kTries = 8;
  static constexpr int kMostRoutes = 8;  // largest useful value of RouteMates::most

  const int* mate;  // a giant tour
  int* places;      // see RouteMates::mate_places
  int* shares;      // see RouteMates::shares; -1 if the route has been replaced

  GLS_DEVICE bool is_depot(int node) const { return node == 0 || node > routes.vehicles.customers; }

  template <class Team>
  GLS_DEVICE void read_mate(const Team& team, int nodes) const {
    team.each(nodes, [&](int p) {
      if (!is_depot(mate[p])) places[mate[p]] = p;
    });
    team.each(state.routes, [&](int route) { shares[route] = 0; });
  }

  // The node at a place of the mate; 0 for all copies of the depot.
  GLS_DEVICE int at(int place, int nodes) const {
    const int node = mate[place < 0 ? place + nodes : place < nodes ? place : place - nodes];
    return is_depot(node) ? 0 : node;
  }

  // Whether a customer's successor in the mate is not its neighbour in the first parent.
  GLS_DEVICE bool differs(int customer, int nodes) const {
    const int next = at(places[customer] + 1, nodes);
    const int before = Base::before[customer];
    return routes.after[customer] != next && routes.place(before) != next;
  }

  // Called by one lane: exchanges routes. Returns false if no route was exchanged. Not inlined,
  // because few kicks exchange routes.
  GLS_OUT_OF_LINE bool exchange(int most, int nodes, Philox& random) const {
    const int n = routes.vehicles.customers;
    int seed = 0;
    for (int tries = 0; tries < kTries && seed == 0; ++tries) {
      const int customer = 1 + int(random.below(n));
      if (differs(customer, nodes)) seed = customer;
    }
    if (seed == 0) return false;
    int left = 1 + int(random.below(most < kMostRoutes ? most : kMostRoutes));
    const bool moves = random.next() & 1;
    state.count = 0;
    int begins[kMostRoutes], taken = 0, replaced = 0;
    for (int rank = -1; rank < near.near_each && left > 0; ++rank) {
      const int customer = rank < 0 ? seed : near(seed, rank);
      if (customer == 0) continue;
      const int begin = begin_of(customer, nodes);
      bool known = false;
      for (int k = 0; k < taken; ++k) known |= begins[k] == begin;
      if (known) continue;
      begins[taken++] = begin;
      --left;
      if (!replace_by(begin, nodes, moves)) break;
      ++replaced;
    }
    leave_out_placed();
    return replaced > 0;
  }

  // The place in the mate at which a customer's route begins.
  GLS_DEVICE int begin_of(int customer, int nodes) const {
    int begin = places[customer];
    while (at(begin - 1, nodes) != 0) --begin;
    return begin < 0 ? begin + nodes : begin;
  }

  // Removes from `waiting` the customers that are in a route again.
  GLS_DEVICE void leave_out_placed() const {
    int waits = 0;
    for (int w = 0; w < state.count; ++w) {
      if (routes.owners[waiting[w]] == Routes::kNoRoute) waiting[waits++] = waiting[w];
    }
    state.count = waits;
  }

  // Replaces the most similar route with the mate's route that begins at place `begin`. The new
  // route gets those customers of the mate's route that were in the replaced route or wait for a
  // place; if `moves`, it also gets those in other routes, except in routes that are already
  // replacements. Returns false if no route shares a customer with the mate's route, or if too many
  // customers would wait.
  GLS_DEVICE bool replace_by(int begin, int nodes, bool moves) const {
    int most = 0;
    const int best = most_alike(begin, nodes, most);
    if (best < 0) return false;
    int size = 0;
    for (int c = routes.after[routes.depot(best)]; c != 0; c = routes.after[c]) ++size;
    if (state.count + size - most > room) return false;
    const auto comes = [&](int c) {
      const int route = routes.owners[c];
      return moves ? route < 0 || shares[route] >= 0 : route < 0 || route == best;
    };
    // Customers of the new route leave their old routes. The replaced route's other customers wait.
    for (int p = begin, c; (c = at(p, nodes)) != 0; ++p) {
      if (!comes(c)) continue;
      const int route = routes.owners[c];
      if (route >= 0) {
        Base::link(Base::before[c], routes.after[c]);
        routes.loads[route] = -1;
      }
      routes.owners[c] = kComing;
    }
    for (int c = routes.after[routes.depot(best)]; c != 0; c = routes.after[c]) {
      waiting[state.count++] = c;
      routes.owners[c] = Routes::kNoRoute;
    }
    int last = routes.depot(best);
    for (int p = begin, c; (c = at(p, nodes)) != 0; ++p) {
      if (routes.owners[c] != kComing) continue;
      Base::link(last, c);
      routes.owners[c] = best;
      last = c;
    }
    Base::link(last, 0);
    routes.loads[best] = -1;
    shares[best] = -1;
    return true;
  }

  // The route that shares the most customers with the mate's route, or -1 if no route shares a
  // customer with it. Sets `most` to the number of shared customers.
  GLS_DEVICE int most_alike(int begin, int nodes, int& most) const {
    int best = -1;
    for (int p = begin, c; (c = at(p, nodes)) != 0; ++p) {
      const int route = routes.owners[c];
      if (route < 0 || shares[route] < 0) continue;
      const int count = ++shares[route];
      if (count > most) most = count, best = route;
    }
    for (int p = begin, c; (c = at(p, nodes)) != 0; ++p) {
      const int route = routes.owners[c];
      if (route >= 0 && shares[route] > 0) shares[route] = 0;
    }
    return best;
  }

 private:
  static constexpr int kComing = -2;  // owner of a customer that is about to join the new route
};

// A kick that usually ruins and recreates routes, and sometimes exchanges them.
template <class Team, class Vehicles>
struct RuinOrExchange {
  using Routes = ExchangedRoutes<Vehicles>;
  using Base = RebuiltRoutes<Vehicles>;

  // Makes a kick within a chain (see tours/kicks/base.py). Returns false if the tour has too few
  // copies of the depot for its new routes.
  GLS_DEVICE static bool kick(const Team& team, int item, int nodes, const int* tour,
                              const RouteMates& others, const RebuiltRows& memory, Philox& random,
                              int* kicked) {
    const Vehicles vehicles(memory.nodes_data, memory.vehicles);
    const int64 at = int64(item) * (vehicles.customers + 1);
    const bool crosses = others.rows > 1 && int(random.next() >> 16) < others.chance;
    const int distance = crosses ? 1 + int(random.below(others.rows - 1)) : 0;
    const int mate =
        item + distance < others.rows ? item + distance : item + distance - others.rows;
    const Routes row{Base::of(team, item, vehicles, memory), others.mates + int64(mate) * nodes,
                     others.mate_places + at, others.shares + at};
    RebuiltState& state = row.state;
    row.read(team, tour, nodes);
    team.sync();
    team.each(state.routes, [&](int route) { row.routes.measure(route); });
    if (crosses) row.read_mate(team, nodes);
    team.sync();
    team.once([&] {
      if (!crosses || !row.exchange(others.most, nodes, random)) {
        static_cast<const RuinedRoutes<Vehicles>&>(row).take_out({others.removed, others.longest},
                                                                 random);
      }
      state.blinks = random.next();
      row.find_spare();
    });
    team.sync();
    row.recreate(team);
    return row.write(team, kicked, nodes);
  }
};

}  // namespace gls
