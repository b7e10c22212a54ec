// Chains on linked lists of routes: kick, repair where it has changed something, accept or go back.
//
// Many chains lie in shared memory side by side, each of one warp: lists change where customers
// leave and join, lanes look at the neighbours of a customer together, and what goes back is
// copied.
#pragma once

#include "runs/acceptance.cuh"
#include "tours/problem/instance.cuh"
#include "routes/moves/route_moves.cuh"
#include "routes/kernels/rebuilt_routes.cuh"
#include "routes/engines/string_removal.cuh"
#include "tours/engines/chains/chain_batch.cuh"

namespace gls {

constexpr int kStringDraws = 1 << 8;        // of four numbers each; the last is that of acceptance
constexpr int kRing = 128;                  // customers that wait to be looked at
constexpr int kChanged = 2 * kMostRemoved;  // routes of a kick

// What chains on linked lists need beside what all chains have.
struct LinkedBatch {
  int soft;             // whether violations are paid for
  int looks;            // at customers after a kick, at most
  const void* weights;  // gls::ViolationWeights
  int* best_after;      // of every row
  char* kept;           // memory for the lists of every row, 16 bytes aligned
};

// Whose neighbours have changed, and which routes.
template <class City>
struct Worklist {
  int first, size, routes;
  City ring[kRing], changed[kChanged];
};

template <class Team, class Metric, class Length, class Memory, class Vehicles, bool timed,
          bool symmetric, class Accept>
struct LinkedChain {
  using City = typename Memory::City;
  using TourLengths = Lengths<Metric, Length>;
  using Site = typename TourLengths::City;
  using Routes = LinkedRoutes<TourLengths, Vehicles, City, timed>;
  using Cost = typename Routes::Cost;
  using Kick = StringRemoval<Routes>;
  using Moves = RouteMoves<Routes, symmetric>;
  using Work = Worklist<City>;

  // Once a block, before its rows.
  GLS_DEVICE static void prepare(const Team&, const Instance& instance, const KickSchedule&,
                                 const ChainBatch&, const LinkedBatch&, const RebuiltVehicles& its,
                                 const NearCustomers&, const StringRuin&) {
    Memory::template load_sites<Site>(static_cast<const Site*>(instance.sites), instance.n);
    const Vehicles vehicles(its.nodes_data, its.vehicles);
    Memory::load_beside(piece_bytes<Site>(instance.n), vehicles.demands, vehicles.customers + 1);
  }

  GLS_DEVICE static void run(const Team& team, int item, const Instance& instance,
                             const KickSchedule& schedule, const ChainBatch& batch,
                             const LinkedBatch& rows, const RebuiltVehicles& its,
                             const NearCustomers& near, const StringRuin& ruin) {
    if (batch.ended(item, schedule)) return;
    using Lists = typename Routes::Lists;
    Vehicles vehicles(its.nodes_data, its.vehicles);
    const int n = instance.n, copies = n - vehicles.customers, words = (n + 31) / 32;
    Memory memory(team, item, Lists::bytes(n, copies) + piece_bytes<uint32>(words),
                  piece_bytes<Site>(n) + piece_bytes<int>(vehicles.customers + 1), batch.scratch);
    vehicles.demands = memory.beside(piece_bytes<Site>(n), vehicles.demands);
    const TourLengths length{Metric(instance.metric_data, instance.n),
                             memory.sites(static_cast<const Site*>(instance.sites)),
                             {instance.error_absolute, instance.error_relative}};
    const Lists now = Lists::take(memory, n, copies);
    Pieces behind{rows.kept + item * Lists::bytes(n, copies)};
    const Lists kept = Lists::take(behind, n, copies);
    uint32* const queued = memory.template take<uint32>(words);
    const auto& weights = *static_cast<const ViolationWeights<Cost>*>(rows.weights);
    auto& totals = shared_slot<typename Routes::Totals>(team);
    auto& work = shared_slot<Work>(team);
    const Routes routes{length, vehicles, weights, rows.soft != 0, n, now, kept, totals};
    const Kick kick{routes, near, ruin, shared_slot<typename Kick::Waits>(team)};
    const Moves moves{routes, near};
    const auto bests = static_cast<Cost*>(batch.best_costs);
    int* const best_after = rows.best_after + int64(item) * n;
    int* const best_tour = batch.best_tours + int64(item) * n;
    int* const tour = batch.tours + int64(item) * n;

    routes.read(team, best_tour);
    bool best_is_feasible = pays_nothing(totals), found = false;
    routes.read(team, tour);
    Cost best = bests[item];
    int64 kicks = batch.kick_counts[item], idle = batch.idle_counts[item], looks = 0, made = 0;
    int accepted = 0;
    const auto wake = [&](int node) {
      if (routes.is_depot(node) || work.size == kRing) return;
      const uint32 bit = 1u << (node & 31);
      if (queued[node >> 5] & bit) return;
      queued[node >> 5] |= bit;
      work.ring[(work.first + work.size++) % kRing] = City(node);
    };
    const auto changed = [&](int route) {
      for (int k = 0; k < work.routes; ++k) {
        if (work.changed[k] == route) return;
      }
      work.changed[work.routes++] = City(route);
    };
#pragma unroll 1
    while (kicks < schedule.until && schedule.patient(idle) && !team.cut()) {
      Philox random(schedule.seed, Purpose::kRuin, schedule.first_row + item);
      random.seek(kicks * kStringDraws);
      const typename Routes::Totals before = totals;
      team.each(words, [&](int w) { queued[w] = 0; });
      team.sync();
      team.once([&] { work.first = work.size = work.routes = 0; });
      bool leads = false, taken = kick.kick(team, random, wake, changed);
      if (taken) {
        team.each(work.routes, [&](int k) { routes.measure(work.changed[k]); });
        team.sync();
        descend(team, routes, moves, work, queued, wake, before.cost, rows.looks, looks, made);
        random.seek((kicks + 1) * kStringDraws - 1);
        const float level =
            batch.units[item] * fmax(schedule.heat - schedule.cooling * float(kicks), 0.0f);
        taken = Accept::takes(totals.cost - before.cost, level, random);
      }
      if (taken) {
        ++accepted;
        routes.keep(team);
        const bool feasible = pays_nothing(totals);
        leads = feasible == best_is_feasible ? totals.cost < best : feasible;
        if (leads) {
          best = totals.cost, best_is_feasible = feasible, found = true;
          team.each(n, [&](int node) { best_after[node] = now.after[node]; });
        }
      } else {
        routes.restore(team, before);
      }
      ++kicks;
      idle = leads ? 0 : idle + 1;
    }
    team.sync();
    routes.write(team, tour);
    Cost cost = totals.cost;
    if (TourLengths::kReal) cost = routes.whole_length(team) + totals.paid;
    if (found) {
      routes.take(team, best_after);
      routes.write(team, best_tour);
      if (TourLengths::kReal) best = totals.cost;
    }
    team.once([&] {
      static_cast<Cost*>(batch.costs)[item] = cost, bests[item] = best;
      batch.kick_counts[item] = kicks;
      batch.idle_counts[item] = idle;
      batch.accepted_counts[item] += accepted;
      batch.look_counts[item] += looks;
      batch.move_counts[item] += made;
    });
  }

 private:
  // Sums of real numbers may be a little more than nothing.
  GLS_DEVICE static bool pays_nothing(const typename Routes::Totals& totals) {
    return totals.paid <= (TourLengths::kReal ? totals.cost * Cost(1e-12) : Cost(0));
  }

  // Makes the best moves of those who wait to be looked at, until nobody does.
  template <class Wake>
  GLS_DEVICE static void descend(const Team& team, const Routes& routes, const Moves& moves,
                                 Work& work, uint32* queued, Wake wake, Cost before, int most,
                                 int64& looks, int64& made) {
#pragma unroll 1
    for (int left = most; left > 0 && work.size > 0; --left) {
      if (rounded<TourLengths::kReal>(routes.totals.cost - before, before) == 0) break;
      const int c = work.ring[work.first];
      team.sync();
      team.once([&] {
        work.first = (work.first + 1) % kRing, --work.size;
        queued[c >> 5] &= ~(1u << (c & 31));
      });
      ++looks;
      made += improve(team, moves, c, work.changed, wake);
    }
  }
};

}  // namespace gls
