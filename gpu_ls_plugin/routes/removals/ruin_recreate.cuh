// Ruin and recreate of routes: removes strings of successive customers from the routes near a
// random customer (Christiaens and Vanden Berghe 2020), and reinserts them by regret (see
// rebuilt_routes.cuh).
#pragma once

#include "routes/kernels/rebuilt_routes.cuh"

namespace gls {

// How many customers a kick removes.
struct Ruin {
  int removed;  // average number of customers
  int longest;  // maximum number of customers in a string
};

// Giant tours, one per row; each is kicked once.
struct KickedTours {
  const int* tours;
  int n;  // number of places in a tour
  uint64 seed;
  int64 first_row;
};

// Routes that lose strings of customers.
template <class Vehicles>
struct RuinedRoutes : RebuiltRoutes<Vehicles> {
  using Base = RebuiltRoutes<Vehicles>;
  using Routes = typename Base::Routes;
  using Base::near;
  using Base::room;
  using Base::routes;
  using Base::state;
  using Base::waiting;

  // Called by one lane: removes strings of customers, which then wait to be inserted.
  GLS_DEVICE void take_out(const Ruin& ruin, Philox& random) const {
    const int n = routes.vehicles.customers, mean = n / state.routes;
    const int longest = mean < ruin.longest ? (mean > 1 ? mean : 1) : ruin.longest;
    const int strings = 4 * ruin.removed / (1 + longest) - 1;
    int left = 1 + int(random.below(strings > 1 ? strings : 1));
    const int seed = 1 + int(random.below(n));
    state.count = 0;
    for (int rank = -1; rank < near.near_each && left > 0; ++rank) {
      const int customer = rank < 0 ? seed : near(seed, rank);
      if (customer == 0) continue;
      const int route = routes.owners[customer];
      // The customer waits, or its route has lost a string.
      if (route < 0 || routes.loads[route] < 0) continue;
      take_string(customer, route, longest, random);
      routes.loads[route] = -1;
      --left;
    }
  }

  // Removes from a route a random string of at most `longest` customers that contains `customer`.
  GLS_DEVICE void take_string(int customer, int route, int longest, Philox& random) const {
    int place = 0, size = 0;
    for (int c = routes.after[routes.depot(route)]; c != 0; c = routes.after[c], ++size) {
      if (c == customer) place = size;
    }
    int length = 1 + int(random.below(size < longest ? size : longest));
    length = length < room - state.count ? length : room - state.count;
    const int least = place - length + 1 > 0 ? place - length + 1 : 0;
    const int most = size - length < place ? size - length : place;
    const int begin = least + int(random.below(most - least + 1));
    int node = routes.depot(route);
    for (int step = 0; step < begin; ++step) node = routes.after[node];
    int next = routes.after[node];
    for (int k = 0; k < length; ++k) {
      waiting[state.count++] = next;
      routes.owners[next] = Routes::kNoRoute;
      next = routes.after[next];
    }
    Base::link(node, next);
  }
};

template <class Team, class Vehicles>
struct RuinRecreate {
  using Routes = RuinedRoutes<Vehicles>;
  using Base = RebuiltRoutes<Vehicles>;

  // A kick in a separate kernel. Writes each row as an order of customers and marks where routes
  // begin.
  GLS_DEVICE static void run(const Team& team, int item, const RouteRows& rows,
                             const KickedTours& kicked, const Ruin& ruin,
                             const RebuiltRows& memory) {
    const Vehicles vehicles(memory.nodes_data, memory.vehicles);
    const Routes row{Base::of(team, item, vehicles, memory)};
    Philox random(kicked.seed, Purpose::kRuin, kicked.first_row + item);
    rebuild(team, row, kicked.n, kicked.tours + int64(item) * kicked.n, ruin, random);
    team.once([&] {
      const int64 place = int64(item) * vehicles.customers;
      row.routes.write(row.state.routes, rows.orders + place, rows.begins + place);
    });
  }

  // A kick within a chain (see tours/kicks/base.py). Returns false if the tour has too few copies
  // of the depot.
  GLS_DEVICE static bool kick(const Team& team, int item, int nodes, const int* tour,
                              const Ruin& ruin, const RebuiltRows& memory, Philox& random,
                              int* kicked) {
    const Vehicles vehicles(memory.nodes_data, memory.vehicles);
    const Routes row{Base::of(team, item, vehicles, memory)};
    rebuild(team, row, nodes, tour, ruin, random);
    return row.write(team, kicked, nodes);
  }

 private:
  GLS_DEVICE static void rebuild(const Team& team, const Routes& row, int nodes, const int* tour,
                                 const Ruin& ruin, Philox& random) {
    RebuiltState& state = row.state;
    row.read(team, tour, nodes);
    team.sync();
    team.each(state.routes, [&](int route) { row.routes.measure(route); });
    team.sync();
    team.once([&] {
      row.take_out(ruin, random);
      state.blinks = random.next();
      row.find_spare();
    });
    team.sync();
    row.recreate(team);
  }
};

}  // namespace gls
