// Iterated local search with random-k-best improvement (Delevacq, Delisle and Krajecki 2012): a
// chain repeats a double bridge, steps of random-k-best improvement until no sample gains, and a
// decision to keep or drop both.
//
// Each team runs one chain. The memory of a team has the order of the chain's current tour beside
// the tour that is being repaired. A launch may end between two steps of a repair; the arrays of
// RepairBatch then hold the repaired tour until the next launch. A kick that is dropped instead can
// be made again: its random numbers depend only on the seed, the chain and the number of the kick.
#pragma once

#include "runs/acceptance.cuh"
#include "tours/engines/chains/chain_batch.cuh"
#include "tours/engines/exhaustive/random_k.cuh"
#include "tours/kicks/bridge_cuts.cuh"

namespace gls {

// The repairs that a launch continues or begins.
struct RepairBatch {
  int most_steps;       // maximum number of steps of a chain in this launch
  int* repaired;        // in rows; tours under repair
  void* rises;          // changes of cost since before the kick, of the type of costs
  int64* repair_steps;  // number of steps of the repair so far, plus 1; 0 if none has begun
};

template <class Team, class Metric, int kFirstWay, class Memory, class Accept>
struct RandomKChain {
  using City = typename Memory::City;
  using Cost = typename Metric::Length;
  static constexpr bool kReal = Cost(0.5) != Cost(0);

  const Team& team;
  const RandomKRules& rules;
  const KickSchedule& schedule;
  const ChainBatch& batch;
  const RepairBatch& repairs;
  const int item;
  const SampledTour<Metric, City>& tour;  // the tour under repair
  City* const kept;                       // order of the current tour
  RandomKSteps<Metric, kFirstWay, City> work;
  Cost cost, best, rise = 0;
  int64 kicks, idle;
  int steps;  // as `repair_steps`
  // Counts of this launch; `looks` is the number of steps of decided kicks.
  int looks = 0, accepted = 0, moves = 0;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, RandomKRules rules,
                             KickSchedule schedule, ChainBatch batch, RepairBatch repairs) {
    if (batch.ended(item, schedule)) return;
    const int n = instance.n;
    const Metric metric(instance.metric_data, n);
    Memory memory(team, item * Team::kBlocks + team.block(), sampled_bytes<Metric, City>(n), 0,
                  batch.scratch);
    City* kept;
    const auto tour = take_sampled(metric, n, memory, kept);
    RandomKChain chain{
        team, rules, schedule, batch, repairs, item, tour, kept, {metric, tour, rules}};
    chain.begin();
    chain.make_kicks();
    chain.write();
  }

 private:
  GLS_DEVICE int64 row_of(int64 row) const { return row * tour.n; }

  // The seed of a kick and its repair.
  GLS_DEVICE uint64 seed() const { return rules.seed * 0x9E3779B97F4A7C15ull + kicks + 1; }
  GLS_DEVICE int64 stream() const { return rules.first_row + item; }

  // Loads the state that the last launch wrote.
  GLS_DEVICE void begin() {
    cost = static_cast<const Cost*>(batch.costs)[item];
    best = static_cast<const Cost*>(batch.best_costs)[item];
    kicks = batch.kick_counts[item];
    idle = batch.idle_counts[item];
    steps = int(repairs.repair_steps[item]);
    const int* const row = batch.tours + row_of(item);
    team.each(tour.n, [&](int p) { kept[p] = City(row[p]); });
    if (steps > 0) {
      rise = static_cast<const Cost*>(repairs.rises)[item];
      const int* const under_repair = repairs.repaired + row_of(item);
      team.each(tour.n, [&](int p) { tour.put(p, under_repair[p]); });
    }
    team.sync();
    team.sync_blocks();
  }

  GLS_DEVICE void make_kicks() {
#pragma unroll 1
    for (int made = 0; made < repairs.most_steps; ++made) {
      if (steps == 0) {
        if (!goes_on()) return;
        kick();
      }
      Cost change;
      const RandomTriples triples(seed(), stream(), steps - 1, tour.n);
      if (!work.step(team, triples, change)) return;
      ++steps;
      rise += change;
      moves += change < 0;
      if (!(change < 0)) decide();
    }
  }

  GLS_DEVICE bool goes_on() const {
    return kicks < schedule.until && batch.move_counts[item] + moves < schedule.max_moves &&
           schedule.patient(idle);
  }

  // Makes the tour under repair from the current tour by a double bridge.
  GLS_DEVICE void kick() {
    const int n = tour.n;
    Philox random(seed(), Purpose::kDoubleBridge, stream());
    const BridgeCuts cuts = WindowCuts::draw_separate(random, n, schedule.window);
    team.sync();  // all lanes have read the last tour
    cuts.each_place(team, n, [&](int to, int from) { tour.put(to, kept[from]); });
    // Edge c / 2 was removed before cut c / 2 if c is even, and added there otherwise.
    rise = team.template sum<Cost>(8, [&](int c) {
      const int place = cuts.place(c / 2, n), before = kept[place > 0 ? place - 1 : n - 1];
      const int behind = kept[cuts.place(c % 2 ? c / 2 ^ 2 : c / 2, n)];
      const Cost length = work.metric(before, behind);
      return c % 2 ? length : -length;
    });
    steps = 1;
    team.sync();
  }

  // Keeps or drops the repaired tour.
  GLS_DEVICE void decide() {
    rise = rounded<kReal, Cost>(rise, cost);
    Philox random(seed(), Purpose::kKick, stream());
    const float level =
        batch.units[item] * fmax(schedule.heat - schedule.cooling * float(kicks), 0.0f);
    const bool taken = Accept::takes(rise, level, random), leads = taken && cost + rise < best;
    if (taken) {
      cost += rise;
      team.each(tour.n, [&](int p) { kept[p] = tour.order[p]; });
      ++accepted;
    }
    if (leads) {
      best = cost;
      if (batch.best_tours != batch.tours && team.block() == 0) {
        int* const best_tour = batch.best_tours + row_of(item);
        team.each(tour.n, [&](int p) { best_tour[p] = tour[p]; });
      }
    }
    idle = leads ? 0 : idle + 1;
    looks += steps - 1;
    ++kicks;
    steps = 0;
    team.sync();
  }

  // Writes the state for the next launch.
  GLS_DEVICE void write() {
    team.sync_blocks();  // all blocks have read the values that the first one changes
    if (team.block() > 0) return;
    int* const row = batch.tours + row_of(item);
    team.each(tour.n, [&](int p) { row[p] = kept[p]; });
    if (steps > 0) {
      int* const under_repair = repairs.repaired + row_of(item);
      team.each(tour.n, [&](int p) { under_repair[p] = tour[p]; });
    }
    team.once([&] {
      static_cast<Cost*>(batch.costs)[item] = cost;
      static_cast<Cost*>(batch.best_costs)[item] = best;
      batch.kick_counts[item] = kicks;
      batch.accepted_counts[item] += accepted;
      batch.idle_counts[item] = idle;
      batch.look_counts[item] += looks;
      batch.move_counts[item] += moves;
      static_cast<Cost*>(repairs.rises)[item] = rise;
      repairs.repair_steps[item] = steps;
    });
  }
};

}  // namespace gls
