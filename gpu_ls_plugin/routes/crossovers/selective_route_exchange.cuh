// Selective route exchange of given pairs (Nagata and Braysy 2010): what chains do in their kicks
// (route_exchange.cuh), once for each pair.
#pragma once

#include "tours/crossovers/pairs.cuh"
#include "routes/crossovers/route_exchange.cuh"

namespace gls {

// How much is exchanged, and memory.
struct ExchangedShare {
  int most;     // routes
  int* places;  // of each customer of a row, its place in the second parent
  int* shared;  // how many customers of a route there are in each route
};

template <class Team, class Vehicles>
struct SelectiveRouteExchange {
  using Routes = ExchangedRoutes<Vehicles>;
  using Base = RebuiltRoutes<Vehicles>;

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data,
                             const uint64* words, int n, TourPairs pairs, NearNodes lists,
                             RebuiltMemory memory, ExchangedShare share, int* orders,
                             unsigned char* begins) {
    const Vehicles vehicles(metric_data, words);
    const int64 at = int64(item) * (vehicles.customers + 1);
    const Routes row{Base::of(team, item, vehicles, lists, memory), pairs.second_of(item, n),
                     share.places + at, share.shared + at};
    RebuiltState& state = row.state;
    Philox random = pairs.random(item, n);
    row.read(team, pairs.first_of(item, n), n);
    team.sync();
    team.each(state.routes, [&](int route) { row.routes.measure(route); });
    row.read_mate(team, n);
    team.sync();
    team.once([&] {
      state.count = 0;
      row.exchange(RouteShare{share.most, 0}, n, random);
      state.blinks = random.next();
      row.find_spare();
    });
    team.sync();
    row.recreate(team);
    team.once([&] {
      const int64 place = int64(item) * vehicles.customers;
      row.routes.write(state.routes, orders + place, begins + place);
    });
  }
};

}  // namespace gls
