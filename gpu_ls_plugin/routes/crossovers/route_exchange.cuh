// Route exchange: some routes of a second parent replace those of the first that they have most
// customers in common with (selective route exchange, Nagata and Braysy 2010), and whoever has lost
// its place joins again by regret.
//
// Routes are taken around a customer behind which the parents go on to different nodes.
#pragma once

#include "routes/removals/ruin_recreate.cuh"

namespace gls {

// How much is exchanged.
struct RouteShare {
  int most;    // routes
  int chance;  // of kicks, in 2^16
};

// The other parents: rows of giant tours.
struct RouteMates {
  const int* mates;
  int* mate_places;  // memory: of each customer of a row, its place in the mate
  int* shares;       // memory: how many customers of a route there are in each route
  int rows;
};

template <class Vehicles>
struct ExchangedRoutes : RuinedRoutes<Vehicles> {
  using Base = RebuiltRoutes<Vehicles>;
  using Routes = typename Base::Routes;
  using Base::near;
  using Base::room;
  using Base::routes;
  using Base::state;
  using Base::waiting;

  static constexpr int kTries = 8;  // customers that are drawn until the parents differ there
  static constexpr int kMostRoutes = 8;

  const int* mate;
  int* places;
  int* shares;

  GLS_DEVICE bool is_depot(int node) const { return node == 0 || node > routes.vehicles.customers; }

  template <class Team>
  GLS_DEVICE void read_mate(const Team& team, int nodes) const {
    team.each(nodes, [&](int p) {
      if (!is_depot(mate[p])) places[mate[p]] = p;
    });
    team.each(state.routes, [&](int route) { shares[route] = 0; });
  }

  GLS_DEVICE int at(int place, int nodes) const {
    const int node = mate[place < 0 ? place + nodes : place < nodes ? place : place - nodes];
    return is_depot(node) ? 0 : node;
  }

  // Whether the mate goes on from a customer to a node that is not beside it in the first parent.
  GLS_DEVICE bool differs(int customer, int nodes) const {
    const int next = at(places[customer] + 1, nodes);
    const int before = Base::before[customer];
    return routes.after[customer] != next && routes.place(before) != next;
  }

  // One lane: exchanges routes; false where there is nothing to exchange. Out of line: few kicks
  // do.
  GLS_OUT_OF_LINE bool exchange(const RouteShare& share, int nodes, Philox& random) const {
    const int n = routes.vehicles.customers;
    int seed = 0;
    for (int tries = 0; tries < kTries && seed == 0; ++tries) {
      const int customer = 1 + int(random.below(n));
      if (differs(customer, nodes)) seed = customer;
    }
    if (seed == 0) return false;
    const int most = share.most < kMostRoutes ? share.most : kMostRoutes;
    int left = 1 + int(random.below(most));
    const bool moves = random.next() & 1;
    state.count = 0;
    int begins[kMostRoutes], taken = 0, replaced = 0;
    for (int rank = -1; rank < near.near_each && left > 0; ++rank) {
      const int customer = rank < 0 ? seed : near(seed, rank);
      if (customer == 0) continue;
      int begin = places[customer];
      while (at(begin - 1, nodes) != 0) --begin;
      if (begin < 0) begin += nodes;
      bool known = false;
      for (int k = 0; k < taken; ++k) known |= begins[k] == begin;
      if (known) continue;
      begins[taken++] = begin;
      --left;
      if (!replace_by(begin, nodes, moves)) break;
      ++replaced;
    }
    int waits = 0;
    for (int w = 0; w < state.count; ++w) {
      if (routes.owners[waiting[w]] == Routes::kNoRoute) waiting[waits++] = waiting[w];
    }
    state.count = waits;
    return replaced > 0;
  }

  // Lets the mate's route that begins there replace a route; false if too many would wait.
  GLS_DEVICE bool replace_by(int begin, int nodes, bool moves) const {
    int best = -1, most = 0;
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
    if (best < 0) return false;
    int size = 0;
    for (int c = routes.after[routes.depot(best)]; c != 0; c = routes.after[c]) ++size;
    if (state.count + size - most > room) return false;
    const auto comes = [&](int c) {
      const int route = routes.owners[c];
      return moves ? route < 0 || shares[route] >= 0 : route < 0 || route == best;
    };
    // Whoever comes along leaves its route; the others of the route that is replaced wait.
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

 private:
  static constexpr int kComing = -2;
};

// A kick that ruins and recreates, or exchanges routes now and then.
template <class Team, class Vehicles>
struct RuinOrExchange {
  using Routes = ExchangedRoutes<Vehicles>;
  using Base = RebuiltRoutes<Vehicles>;

  // A kick of a chain (tours/kicks/base.py); false where there are too few copies of the depot.
  GLS_DEVICE static bool kick(const Team& team, int item, int nodes, const int* tour,
                              const RebuiltVehicles& its, const NearNodes& lists, const Ruin& ruin,
                              const RebuiltMemory& memory, const RouteShare& share,
                              const RouteMates& others, Philox& random, int* kicked) {
    const Vehicles vehicles(its.nodes_data, its.vehicles);
    const int64 at = int64(item) * (vehicles.customers + 1);
    const bool crosses = others.rows > 1 && int(random.next() >> 16) < share.chance;
    const int distance = crosses ? 1 + int(random.below(others.rows - 1)) : 0;
    const int mate =
        item + distance < others.rows ? item + distance : item + distance - others.rows;
    const Routes row{Base::of(team, item, vehicles, lists, memory),
                     others.mates + int64(mate) * nodes, others.mate_places + at,
                     others.shares + at};
    RebuiltState& state = row.state;
    row.read(team, tour, nodes);
    team.sync();
    team.each(state.routes, [&](int route) { row.routes.measure(route); });
    if (crosses) row.read_mate(team, nodes);
    team.sync();
    team.once([&] {
      if (!crosses || !row.exchange(share, nodes, random)) {
        static_cast<const RuinedRoutes<Vehicles>&>(row).take_out(ruin, random);
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
