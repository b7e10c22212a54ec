// Iterated local search on linked lists of routes: kick, repair what the kick has changed, and
// accept or undo.
//
// On a GPU, each chain runs on a warp, with its lists in shared memory if they fit. Removing or
// inserting a customer changes only a few links. The lanes divide the near nodes of a customer
// among themselves. To undo a kick, the chain restores a copy of its lists.
#pragma once

#include "runs/acceptance.cuh"
#include "routes/moves/route_moves.cuh"
#include "routes/kernels/linked_row.cuh"
#include "routes/engines/string_removal.cuh"
#include "tours/engines/chains/chain_batch.cuh"

namespace gls {

// Number of random draws, of four numbers each, reserved for a kick; the last of them decides
// whether the repaired tour is accepted.
constexpr int kStringDraws = 1 << 8;
constexpr int kRing = 128;                  // maximum number of customers in the queue
constexpr int kChanged = 2 * kMostRemoved;  // maximum number of routes that a kick changes

// Arguments of chains on linked lists, in addition to those that all chains have.
struct LinkedBatch {
  int looks;        // maximum number of looks at customers after a kick
  int* best_after;  // successor of each node in the best tour of each row
  char* kept;       // memory for a copy of each row's lists, aligned to 16 bytes
};

// A queue of customers whose neighbours have changed, and the routes that a kick has changed.
template <class City>
struct Worklist {
  int first, size, routes;  // start and length of the queue, and number of changed routes
  City ring[kRing], changed[kChanged];

  // Called by one lane: adds a changed route unless it is already listed.
  GLS_DEVICE void note(int route) {
    for (int k = 0; k < routes; ++k) {
      if (changed[k] == route) return;
    }
    changed[routes++] = City(route);
  }
};

template <class Team, class Scope, class Metric, class Length, class Memory, class Vehicles,
          bool timed, bool symmetric, class Accept>
struct LinkedChain {
  using Row = LinkedRow<Metric, Length, Memory, Vehicles, timed>;
  using Routes = typename Row::Routes;
  using Cost = typename Row::Cost;

  // Runs once per block, before its first row.
  template <class... Rest>
  GLS_DEVICE static void prepare(const Team&, const Instance& instance,
                                 const LinkedProblem& problem, const Rest&...) {
    Row::load(instance, problem);
  }

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, LinkedProblem problem,
                             const KickSchedule& schedule, const ChainBatch& batch,
                             const LinkedBatch& rows, const StringRuin& ruin,
                             const InstancesOfRows& all = {}) {
    if (batch.ended(item, schedule)) return;
    choose_instance<Scope>(instance, problem, all, item);
    Row row(team, item, instance, problem, (instance.n + 31) / 32, batch.scratch);
    LinkedChain chain(team, item, row, schedule, batch, rows, ruin);
    chain.begin();
#pragma unroll 1
    while (chain.goes_on()) chain.make_kick();
    chain.write();
  }

 private:
  using City = typename Row::City;
  using Lists = typename Row::Lists;
  using Totals = typename Row::Totals;
  using Kick = StringRemoval<Routes>;
  using Work = Worklist<City>;

  static constexpr bool kReal = Row::TourLengths::kReal;

  const Team& team;
  const int item;
  const KickSchedule& schedule;
  const ChainBatch& batch;
  const LinkedBatch& rows;
  Pieces behind;         // memory for the copy of the lists that undoes a kick
  uint32* const queued;  // one bit per node: whether it is in the ring
  Totals& totals;
  Work& work;
  const Routes routes;
  const NearNodes& near;
  const StringRuin& ruin;
  Cost best;
  int64 kicks, idle, looks = 0, made = 0;
  int accepted = 0;
  bool best_is_feasible = true, found = false;  // found: whether the best tour has changed

  GLS_DEVICE LinkedChain(const Team& team, int item, Row& row, const KickSchedule& schedule,
                         const ChainBatch& batch, const LinkedBatch& rows, const StringRuin& ruin)
      : team(team),
        item(item),
        schedule(schedule),
        batch(batch),
        rows(rows),
        behind{rows.kept + item * row.list_bytes()},
        queued(row.memory.template take<uint32>((row.n + 31) / 32)),
        totals(shared_slot<Totals>(team)),
        work(shared_slot<Work>(team)),
        routes(row.routes(Lists::take(behind, row.n, row.n - row.vehicles.customers), totals)),
        near(row.near),
        ruin(ruin),
        best(static_cast<Cost*>(batch.best_costs)[item]),
        kicks(batch.kick_counts[item]),
        idle(batch.idle_counts[item]) {}

  GLS_DEVICE int* row_of(int* tours) const { return tours + int64(item) * routes.nodes; }

  GLS_DEVICE void begin() {
    routes.read(team, row_of(batch.best_tours));
    best_is_feasible = pays_nothing();
    routes.read(team, row_of(batch.tours));
  }

  GLS_DEVICE bool goes_on() const {
    return kicks < schedule.until && schedule.patient(idle) && !team.cut();
  }

  GLS_DEVICE void make_kick() {
    Philox random(schedule.seed, Purpose::kRuin, schedule.first_row + item);
    random.seek(kicks * kStringDraws);
    const Totals before = totals;
    clear_work();
    const auto wakes = [&](int node) { wake(node); };
    bool is_best = false;
    // A member that refers to another one would keep all members out of registers.
    const Kick kick{routes, near, ruin, shared_slot<typename Kick::Waits>(team)};
    bool taken = kick.kick(team, random, wakes, [&](int route) { work.note(route); });
    if (taken) {
      team.each(work.routes, [&](int k) { routes.measure(work.changed[k]); });
      team.sync();
      descend(before.cost);
      random.seek((kicks + 1) * kStringDraws - 1);
      taken = Accept::takes(totals.cost - before.cost, level(), random);
    }
    if (taken) {
      ++accepted;
      routes.keep(team);
      is_best = note_best();
    } else {
      routes.restore(team, before);
    }
    ++kicks;
    idle = is_best ? 0 : idle + 1;
  }

  // Writes the state of the chain for the next launch.
  GLS_DEVICE void write() {
    team.sync();
    routes.write(team, row_of(batch.tours));
    Cost cost = totals.cost;
    if (kReal) cost = routes.whole_length(team) + totals.paid;
    if (found) {
      routes.take(team, row_of(rows.best_after));
      routes.write(team, row_of(batch.best_tours));
      if (kReal) best = totals.cost;
    }
    team.once([&] {
      static_cast<Cost*>(batch.costs)[item] = cost;
      static_cast<Cost*>(batch.best_costs)[item] = best;
      batch.kick_counts[item] = kicks;
      batch.idle_counts[item] = idle;
      batch.accepted_counts[item] += accepted;
      batch.look_counts[item] += looks;
      batch.move_counts[item] += made;
    });
  }

  // Whether the routes violate no constraint.
  GLS_DEVICE bool pays_nothing() const { return totals.paid <= routes.negligible(); }

  GLS_DEVICE float level() const {
    return batch.units[item] * fmax(schedule.heat - schedule.cooling * float(kicks), 0.0f);
  }

  GLS_DEVICE void clear_work() const {
    team.each((routes.nodes + 31) / 32, [&](int w) { queued[w] = 0; });
    team.sync();
    team.once([&] { work.first = work.size = work.routes = 0; });
  }

  // Called by one lane: queues a customer unless the ring is full.
  GLS_DEVICE void wake(int node) const {
    if (routes.is_depot(node) || work.size == kRing) return;
    const uint32 bit = 1u << (node & 31);
    if (queued[node >> 5] & bit) return;
    queued[node >> 5] |= bit;
    work.ring[(work.first + work.size++) % kRing] = City(node);
  }

  // Makes the best move of one queued customer after another. Stops early once the cost is again
  // what it was `before` the kick, because the repair has then almost always restored the old tour.
  GLS_DEVICE void descend(Cost before) {
    const auto wakes = [&](int node) { wake(node); };
    const RouteMoves<Routes, symmetric> moves{routes, near};
#pragma unroll 1
    for (int left = rows.looks; left > 0 && work.size > 0; --left) {
      if (rounded<kReal, Cost>(totals.cost - before, before) == 0) break;
      const int c = work.ring[work.first];
      team.sync();
      team.once([&] {
        work.first = (work.first + 1) % kRing, --work.size;
        queued[c >> 5] &= ~(1u << (c & 31));
      });
      ++looks;
      made += improve(team, moves, c, work.changed, wakes);
    }
  }

  // Keeps the current tour as the best if it is the first feasible one, or if it is cheaper than
  // the best and either both are feasible or neither is. Returns whether it is the new best.
  GLS_DEVICE bool note_best() {
    const bool feasible = pays_nothing();
    if (feasible == best_is_feasible ? !(totals.cost < best) : !feasible) return false;
    best = totals.cost, best_is_feasible = feasible, found = true;
    int* const best_after = row_of(rows.best_after);
    team.each(routes.nodes, [&](int node) { best_after[node] = routes.now.after[node]; });
    return true;
  }
};

}  // namespace gls
