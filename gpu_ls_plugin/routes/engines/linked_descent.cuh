// Local search of giant tours on linked lists of their routes, with one team per tour.
//
// A descent makes the best move of one customer after another until no customer has an improving
// move. A customer without an improving move of the first kind may begin a new route. Each other
// kind of move is tried once no customer has an improving move of the kinds before it. The lanes
// divide the near nodes of a customer among themselves.
#pragma once

#include "routes/moves/route_moves.cuh"
#include "routes/moves/route_swap_star.cuh"
#include "routes/kernels/linked_row.cuh"
#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/descent/look_bits.cuh"

namespace gls {

// Maximum number of looks at customers, per node of a tour. The limit is needed because rounding of
// real numbers could make a descent cycle.
constexpr int64 kMostLooks = 1000;

// Arguments of descents on linked lists, in addition to those that all descents have.
struct LinkedTours {
  uint32* looks;  // customers to look at: LookBits for each tour and kind of moves
  int* sweeps;    // node at which the sweep of each tour continues
};

template <class Team, class Scope, class Metric, class Length, class Memory, class Vehicles,
          bool timed, bool symmetric, template <class, bool> class... Further>
struct LinkedDescent {
  using Row = LinkedRow<Metric, Length, Memory, Vehicles, timed>;
  using Routes = typename Row::Routes;

  static constexpr int kKinds = 1 + sizeof...(Further);

  // Runs once per block, before its first tour.
  template <class... Rest>
  GLS_DEVICE static void prepare(const Team&, const Instance& instance,
                                 const LinkedProblem& problem, const Rest&...) {
    Row::load(instance, problem);
  }

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, LinkedProblem problem,
                             const DescentBatch& batch, const LinkedTours& tours,
                             const InstancesOfRows& all = {}) {
    if (batch.states[item] != kRunning) return;
    choose_instance<Scope>(instance, problem, all, item);
    Row row(team, item, instance, problem, kKinds * ((instance.n + 31) / 32), batch.scratch);
    LinkedDescent descent(team, item, row, batch, tours);
    descent.begin();
#pragma unroll 1
    while (descent.goes_on() && descent.find_customer()) descent.look_at_customer();
    descent.write();
  }

 private:
  using City = typename Row::City;
  using Totals = typename Row::Totals;

  // State that the lanes of a tour share.
  struct Look {
    int city, later;   // a customer to look at, and the node at which the sweep continues
    City ends[2];      // the routes of a move
    int made[kKinds];  // number of moves of each kind
  };

  const Team& team;
  const int item;
  const DescentBatch& batch;
  const LinkedTours& tours;
  const int words;       // number of 32-bit words that mark customers for one kind of moves
  uint32* const marked;  // marks of the customers to look at, by kind of moves
  Look& look;
  const NearNodes& near;
  const Routes routes;
  int64 moves;
  int looks = 0, sweep, kind = 0;
  bool waits = true;

  // A descent undoes nothing, so it needs no copy of the lists and passes the lists themselves.
  GLS_DEVICE LinkedDescent(const Team& team, int item, Row& row, const DescentBatch& batch,
                           const LinkedTours& tours)
      : team(team),
        item(item),
        batch(batch),
        tours(tours),
        words((row.n + 31) / 32),
        marked(row.memory.template take<uint32>(kKinds * words)),
        look(shared_slot<Look>(team)),
        near(row.near),
        routes(row.routes(row.lists, shared_slot<Totals>(team))),
        moves(batch.move_counts[item]),
        sweep(tours.sweeps[item]) {}

  GLS_DEVICE int* tour() const { return batch.tours + int64(item) * routes.nodes; }
  GLS_DEVICE LookBits bits(int its_kind) const { return {marked + its_kind * words, words}; }
  // Memory for the bits of this tour between launches.
  GLS_DEVICE uint32* kept_bits() const { return tours.looks + int64(item) * kKinds * words; }

  GLS_DEVICE void begin() const {
    routes.read(team, tour());
    const uint32* const kept = kept_bits();
    team.each(kKinds * words, [&](int w) { marked[w] = kept[w]; });
    team.each(kKinds, [&](int its_kind) { look.made[its_kind] = 0; });
  }

  GLS_DEVICE bool goes_on() const {
    return looks < batch.passes && moves < batch.max_moves && !team.cut();
  }

  // Finds the first kind of moves for which customers wait, and the next of these customers.
  // Returns false if no customer waits.
  GLS_DEVICE bool find_customer() {
    team.sync();
    kind = 0;
    while (kind < kKinds && bits(kind).next(team, sweep, 1, &look.city, look.later) == 0) ++kind;
    team.sync();
    waits = kind < kKinds;
    return waits;
  }

  // Makes the best move of the customer, or queues it for the next kind of moves.
  GLS_DEVICE void look_at_customer() {
    const int c = look.city;
    sweep = look.later;
    team.once([&] { bits(kind).clear(team, c); });
    ++looks;
    const bool moved = make_move(c);
    moves += moved;
    team.once([&] {
      if (moved)
        ++look.made[kind];
      else if (kind + 1 < kKinds)
        bits(kind + 1).set(team, c);
    });
  }

  GLS_DEVICE bool make_move(int c) const {
    const auto wake = [&](int node) {
      if (!routes.is_depot(node)) bits(0).set(team, node);
    };
    if (kind == 0) {
      const RouteMoves<Routes, symmetric> first{routes, near};
      return improve(team, first, c, look.ends, wake) ||
             first.begin_route(team, c, look.ends, wake);
    }
    int further = 0;
    return ((++further == kind &&
             improve(team, Further<Routes, symmetric>{routes, near}, c, look.ends, wake)) ||
            ...);
  }

  // Writes the state of the descent for the next launch.
  GLS_DEVICE void write() const {
    team.sync();
    if (moves > batch.move_counts[item]) routes.write(team, tour());
    const bool done = !waits || batch.pass_counts[item] + looks >= kMostLooks * routes.nodes;
    uint32* const kept = kept_bits();
    if (!done) team.each(kKinds * words, [&](int w) { kept[w] = marked[w]; });
    team.sync();
    team.each(kKinds, [&](int its_kind) { add(&batch.moves_by[its_kind], look.made[its_kind]); });
    team.once([&] {
      tours.sweeps[item] = sweep;
      batch.pass_counts[item] += looks;
      batch.move_counts[item] = moves;
      if (done)
        batch.states[item] = kOptimum;
      else if (moves >= batch.max_moves)
        batch.states[item] = kOutOfMoves;
    });
  }
};

}  // namespace gls
