// Local search of giant tours on linked lists of their routes: the best move of one customer after
// the other, until nobody has one; who has none may begin a route. Moves of further kinds are
// looked at where nobody has one of those before. A team a tour, whose lanes look at near customers
// together.
#pragma once

#include "tours/problem/instance.cuh"
#include "routes/moves/route_moves.cuh"
#include "routes/moves/route_swap_star.cuh"
#include "routes/kernels/rebuilt_routes.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/descent/look_bits.cuh"

namespace gls {

// Looks for each node, from which on a tour is done: sums of real numbers might go in circles.
constexpr int64 kMostLooks = 1000;

// What descents on linked lists need beside what all descents have.
struct LinkedTours {
  int soft;             // whether violations are paid for
  const void* weights;  // gls::ViolationWeights
  uint32* looks;        // of every tour and kind of moves, LookBits: customers to be looked at
  int* sweeps;          // of every tour, where its sweep goes on
};

template <class Team, class Metric, class Length, class Memory, class Vehicles, bool timed,
          bool symmetric, template <class, bool> class... Further>
struct LinkedDescent {
  using City = typename Memory::City;
  using TourLengths = Lengths<Metric, Length>;
  using Site = typename TourLengths::City;
  using Routes = LinkedRoutes<TourLengths, Vehicles, City, timed>;
  using Cost = typename Routes::Cost;
  using Moves = RouteMoves<Routes, symmetric>;

  static constexpr int kKinds = 1 + sizeof...(Further);

  // What the lanes of a tour share.
  struct Look {
    int city, later;
    City ends[2];
    int made[kKinds];  // moves of each kind
  };

  // Once a block, before its tours.
  GLS_DEVICE static void prepare(const Team&, const Instance& instance, const DescentBatch&,
                                 const LinkedTours&, const RebuiltVehicles& its,
                                 const NearCustomers&) {
    Memory::template load_sites<Site>(static_cast<const Site*>(instance.sites), instance.n);
    const Vehicles vehicles(its.nodes_data, its.vehicles);
    Memory::load_beside(piece_bytes<Site>(instance.n), vehicles.demands, vehicles.customers + 1);
  }

  GLS_DEVICE static void run(const Team& team, int item, const Instance& instance,
                             const DescentBatch& batch, const LinkedTours& tours,
                             const RebuiltVehicles& its, const NearCustomers& near) {
    if (batch.states[item] != kRunning) return;
    using Lists = typename Routes::Lists;
    Vehicles vehicles(its.nodes_data, its.vehicles);
    const int n = instance.n, copies = n - vehicles.customers;
    const int words = (n + 31) / 32, marks = kKinds * words;
    Memory memory(team, item, Lists::bytes(n, copies) + piece_bytes<uint32>(marks),
                  piece_bytes<Site>(n) + piece_bytes<int>(vehicles.customers + 1), batch.scratch);
    vehicles.demands = memory.beside(piece_bytes<Site>(n), vehicles.demands);
    const TourLengths length{Metric(instance.metric_data, instance.n),
                             memory.sites(static_cast<const Site*>(instance.sites)),
                             {instance.error_absolute, instance.error_relative}};
    const Lists lists = Lists::take(memory, n, copies);
    const auto& weights = *static_cast<const ViolationWeights<Cost>*>(tours.weights);
    uint32* const marked = memory.template take<uint32>(marks);
    const auto bits = [&](int kind) { return LookBits{marked + kind * words, words}; };
    auto& totals = shared_slot<typename Routes::Totals>(team);
    auto& look = shared_slot<Look>(team);
    // Nothing is taken back: lists are their own copies.
    const Routes routes{length, vehicles, weights, tours.soft != 0, n, lists, lists, totals};
    const Moves moves{routes, near};
    int* const tour = batch.tours + int64(item) * n;
    uint32* const kept = tours.looks + int64(item) * marks;
    routes.read(team, tour);
    team.each(marks, [&](int w) { marked[w] = kept[w]; });
    team.each(kKinds, [&](int kind) { look.made[kind] = 0; });
    const auto wake = [&](int node) {
      if (!routes.is_depot(node)) bits(0).set(team, node);
    };
    const int64 made = batch.move_counts[item];
    int64 more = 0;
    int looks = 0, sweep = tours.sweeps[item];
    bool waits = true;
#pragma unroll 1
    while (looks < batch.passes && made + more < batch.max_moves && !team.cut()) {
      team.sync();
      int kind = 0;
      while (kind < kKinds && bits(kind).next(team, sweep, 1, &look.city, look.later) == 0) ++kind;
      team.sync();
      waits = kind < kKinds;
      if (!waits) break;
      const int c = look.city;
      sweep = look.later;
      team.once([&] { bits(kind).clear(team, c); });
      ++looks;
      int further = 0;
      const bool moved =
          kind == 0 ? improve(team, moves, c, look.ends, wake) ||
                          moves.begin_route(team, c, look.ends, wake)
                    : ((++further == kind && improve(team, Further<Routes, symmetric>{routes, near},
                                                     c, look.ends, wake)) ||
                       ...);
      more += moved;
      team.once([&] {
        if (moved)
          ++look.made[kind];
        else if (kind + 1 < kKinds)
          bits(kind + 1).set(team, c);
      });
    }
    team.sync();
    if (more > 0) routes.write(team, tour);
    const bool stops = made + more >= batch.max_moves;
    const bool done = !waits || batch.pass_counts[item] + looks >= kMostLooks * n;
    if (!done) team.each(marks, [&](int w) { kept[w] = marked[w]; });
    team.sync();
    team.each(kKinds, [&](int kind) { add(&batch.moves_by[kind], look.made[kind]); });
    team.once([&] {
      tours.sweeps[item] = sweep;
      batch.pass_counts[item] += looks;
      batch.move_counts[item] = made + more;
      if (done)
        batch.states[item] = kOptimum;
      else if (stops)
        batch.states[item] = kOutOfMoves;
    });
  }
};

}  // namespace gls
