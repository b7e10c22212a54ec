// Iterated local search: a chain repeats a kick, its repair, and a decision to keep or undo both.
// Each team runs one chain.
//
// The repair of a kick looks only at cities whose edges changed. A journal notes each reversal. To
// undo a kick, a chain repeats the reversals in reverse order, so it needs no copy of its tour.
#pragma once

#include "tours/moves/apply_move.cuh"
#include "tours/kicks/bridge_cuts.cuh"
#include "tours/engines/chains/chain_batch.cuh"
#include "tours/engines/chains/kick_numbers.cuh"
#include "tours/engines/descent/descend.cuh"
#include "runs/acceptance.cuh"
#include "tours/kernels/chain_sizes.cuh"
#include "tours/engines/scopes.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

constexpr int kKickAttempts = 8;  // attempts to draw cuts before a kick is left out

// The reversals of a kick and its repair.
template <class City>
struct Journal {
  City* entries;  // two for each reversal: its first place and its length
  int size = 0;

  template <class Team>
  GLS_DEVICE void add(const Team& team, int first, int length) {
    team.each(1, [&](int) {
      entries[2 * size] = City(first);
      entries[2 * size + 1] = City(length);
    });
    ++size;
  }

  template <class Team>
  GLS_DEVICE void undo(const Team& team, const RingTour<City>& tour) {
    team.sync();
#pragma unroll 1
    while (size > 0) {
      --size;
      tour.reverse(team, int(entries[2 * size]), int(entries[2 * size + 1]));
    }
  }
};

// A double bridge, and the lengths of its edges. If `draw_bridge` has found no bridge, the segments
// are empty.
template <class Length>
struct Bridge {
  BridgeCuts cuts;
  Length lengths[8];

  // Whether the segments fit into the ring of the queue, which is empty at this time. If so, they
  // change places in one step; otherwise, the chain makes and undoes the bridge like other moves.
  GLS_DEVICE bool swaps() const { return cuts.at[3] - cuts.at[0] <= kChainQueue; }

  template <class Team, class City>
  GLS_DEVICE void swap(const Team& team, const RingTour<City>& tour, bool back, City* ring) const {
    const int b = cuts.at[1] - cuts.at[0], c = cuts.at[2] - cuts.at[1], d = cuts.at[3] - cuts.at[2];
    const int first = tour.wrap_high(cuts.first + cuts.at[0]);
    tour.swap_segments(team, first, back ? d : b, c, back ? b : d, ring);
  }
};

// Draws a double bridge as a `move`, with its gain; returns false if it finds none. `bridge` and
// `move` are in shared memory.
template <class Cuts, class Team, class View, class Length = typename View::Length>
GLS_DEVICE bool draw_bridge(const Team& team, KickNumbers<Team>& random, const View& view,
                            int window, Bridge<Length>& bridge, Move& move, Length& gain) {
  const auto& tour = view.tour;
#pragma unroll 1
  for (int attempt = 0; attempt < kKickAttempts; ++attempt) {
    BridgeCuts cuts = Cuts::draw(random, view, window);
    GLS_UNROLL
    for (int c = 0; c < 4; ++c) {  // if an edge is fixed, cuts the next one, which is free
      const int place = tour.wrap_high(cuts.first + cuts.at[c]);
      cuts.at[c] += view.fixed.hold(tour.at(place - 1), tour.at(place));
    }
    if (!cuts.separate(tour.n)) continue;
    team.once([&] {
      bridge.cuts = cuts;
      move.shape = Shape::kBridge;
      move.forward = 1;
      move.edges = 4;
    });
    // The city before cut c gets a new successor: the city after cut c ^ 2.
    team.each(8, [&](int edge) {
      const int cut = edge / 2, other = edge % 2 ? cut ^ 2 : cut;
      const auto place = [&](int c) { return tour.wrap_high(cuts.first + bridge.cuts.at[c]); };
      const int before = tour.at(place(cut) - 1), behind = tour.at(place(other));
      bridge.lengths[edge] = view.length(before, behind);
      if (edge % 2) return;
      // The removed edges are t[6] t[0], t[1] t[2], t[3] t[4] and t[5] t[7].
      move.t[cut == 0 ? 6 : 2 * cut - 1] = before;
      move.t[cut == 3 ? 7 : 2 * cut] = behind;
    });
    team.sync();
    gain = 0;
    GLS_UNROLL
    for (int edge = 0; edge < 8; edge += 2) gain += bridge.lengths[edge] - bridge.lengths[edge + 1];
    gain = view.worth(move, gain);
    if (view.allows(gain)) return true;
    team.sync();  // all lanes have read the move
    gain = 0;
  }
  team.once([&] { bridge.cuts = {}; });
  return false;
}

template <class Team, class Scope, class Metric, class Length, class Memory, class Neighbourhood,
          class Cuts, class Accept>
struct Chain
    : LoadsSites<Memory, typename Lengths<typename Scope::template Named<Metric>, Length>::City> {
  using City = typename Memory::City;
  using Named = typename Scope::template Named<Metric>;
  using Fixed = typename Scope::template Fixed<City>;
  using MetricLengths = Lengths<Named, Length>;
  using Site = typename MetricLengths::City;
  using View = gls::View<MetricLengths, City, Fixed>;
  using Cost = typename Metric::Length;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, Candidates lists,
                             KickSchedule schedule, ChainBatch batch,
                             const typename Scope::Problems& problems = {}) {
    if (batch.ended(item, schedule)) return;
    choose_row<Metric>(instance, lists, item);
    const int stride = Scope::stride(instance, problems);
    Memory memory(team, item, chain_bytes(stride), piece_bytes<Site>(stride), batch.scratch);
    Chain chain(team, item, memory, instance, lists, schedule, batch, problems);
    chain.begin(item);
    const State& state = chain.shared.state;
#pragma unroll 1
    while (chain.goes_on()) {
      Philox random(schedule.seed, Purpose::kKick, schedule.first_row + state.item);
      KickNumbers<Team> draws(team, random, state.kicks, chain.shared.drawn);
      bool moves = chain.draw_kick(draws);
#pragma unroll 1
      for (; moves; moves = !chain.returned() && chain.find_repair()) chain.make_move();
      const Cost rise = chain.end_repair();
      random.seek((state.kicks + 1) * kDrawsPerKick - 1);
      const bool taken = Accept::takes(rise, chain.level(), random);
      if (!taken) chain.undo();
      chain.count_kick(taken, rise);
    }
    chain.write();
  }

 private:
  static constexpr bool kReal = MetricLengths::kReal;
  // Deep moves, which have many edges, need a journal and a queue of twice the usual capacity.
  static constexpr bool kDeep = MostEdges<Neighbourhood>::kValue > kUsualExchange;
  static constexpr int kEdges = kDeep ? kDeepestExchange : kUsualExchange;
  static constexpr int kReversals = (1 + kDeep) * kJournal, kWaiting = (1 + kDeep) * kChainQueue;
  // Whether registers are scarce: if a block has many warps, each lane has few.
  static constexpr bool kScarce = Team::kTeams > 10;

  // Whether tours may be infeasible. If so, any feasible tour replaces an infeasible best tour.
  // Chains on parts compare costs alone, because the feasibility of a part is unknown.
  static constexpr bool kJudges = Scope::kWhole && !length_alone<Metric>();

  // The state of a chain; it is always in shared memory.
  struct State : MovesByPart<Neighbourhood> {
    Cost cost, best;
    int64 kicks, idle;
    int item, accepted;
  };
  // The sums that change with each move; they are in shared memory if registers are scarce.
  struct Sums {
    Cost rise;  // change of cost from a kick and its repair
    int looks, moves_left;
  };
  static_assert(sizeof(State) + sizeof(Sums) <=
                    kStateBytes + (sizeof(MovesByPart<Neighbourhood>) + 7) / 8 * 8,
                "kStateBytes has room for State and Sums, apart from the counts of moves");
  struct ChainMemory : ScoutMemory<Team, Length> {
    Bridge<Length> bridge;
    DrawnNumbers<Team> drawn;
    State state;
    Sums sums;
  };

  const Team& team;
  const KickSchedule& schedule;
  const ChainBatch& batch;
  const int stride;  // number of cities in a row of tours
  // Members of fixed size come first in memory, so that one base address serves them and the tour's
  // order.
  ChainMemory& shared;
  City* const ring;
  Journal<City> journal;
  const View view;
  WorkQueue<City> queue;
  const Choices choices;
  Sums own_sums;
  bool best_is_feasible = true;
  bool limited = false;  // whether fewer moves are left than the journal can hold

  GLS_DEVICE Chain(const Team& team, int item, Memory& memory, const Instance& instance,
                   const Candidates& lists, const KickSchedule& schedule, const ChainBatch& batch,
                   const typename Scope::Problems& problems)
      : team(team),
        schedule(schedule),
        batch(batch),
        stride(Scope::stride(instance, problems)),
        shared(memory.template slot<ChainMemory>(team)),
        ring(memory.template take<City>(kWaiting)),
        journal{memory.template take<City>(2 * kReversals)},
        view(Scope::template view<View, Metric>(team, item, memory, instance, lists, problems)),
        queue{ring, memory.template take<uint32>((stride + 31) / 32), kWaiting, 0, 0},
        choices(lists.directions, lists.breadth, Neighbourhood::variants(lists.degree)),
        own_sums{0, 0, moves_of_launch(item)} {}

  // Loads the state that the last launch wrote.
  GLS_DEVICE void begin(int item) {
    const auto& tour = view.tour;
    const int* const row = batch.tours + int64(item) * stride;
    team.each(tour.n, [&](int p) {
      const int city = row[p];
      tour.order[p] = City(city);
      tour.position[city] = City(p);
    });
    queue.clear(team, tour.n);
    team.once([&] {
      State& state = shared.state;
      shared.drawn.group = -1;
      state.cost = static_cast<Cost*>(batch.costs)[item];
      state.best = static_cast<Cost*>(batch.best_costs)[item];
      state.kicks = batch.kick_counts[item];
      state.idle = batch.idle_counts[item];
      state.item = item;
      state.accepted = 0;
      shared.sums = {0, 0, moves_of_launch(item)};
      state.clear();
    });
    begin_sums(team, view);
    keep_tour(team, view);
    if constexpr (kJudges) {
      const int* const best_tour = batch.best_tours + int64(item) * stride;
      best_is_feasible = is_feasible(team, view, [&](int p) { return best_tour[p]; });
    }
  }

  // Writes the state for the next launch.
  GLS_DEVICE void write() {
    const int item = shared.state.item;
    int* const row = batch.tours + int64(item) * stride;
    team.each(view.tour.n, [&](int p) { row[p] = view.tour.order[p]; });
    team.once([&] {
      const State& state = shared.state;
      static_cast<Cost*>(batch.costs)[item] = state.cost;
      static_cast<Cost*>(batch.best_costs)[item] = state.best;
      batch.kick_counts[item] = state.kicks;
      batch.accepted_counts[item] += state.accepted;
      batch.idle_counts[item] = state.idle;
      batch.look_counts[item] += sums().looks;
      batch.move_counts[item] += moves_of_launch(item) - sums().moves_left;
      state.add_to(batch.moves_by);
    });
  }

  GLS_DEVICE bool goes_on() const {
    const State& state = shared.state;
    return state.kicks < schedule.until && sums().moves_left > 0 && schedule.patient(state.idle) &&
           !team.cut();
  }

  // Draws a double bridge, the first move of a kick; returns false if it finds none.
  GLS_DEVICE bool draw_kick(KickNumbers<Team>& draws) {
    limited = sums().moves_left < kReversals;
    change_sums(team, view, [](const auto& objective) { objective.mark(); });
    Length gain = 0;
    const bool found =
        draw_bridge<Cuts>(team, draws, view, schedule.window, shared.bridge, shared.move, gain);
    note([&] { sums().rise = -Cost(gain); });
    return found;
  }

  // Whether the repair has restored the cost that the tour had before the kick.
  GLS_DEVICE bool returned() const { return rise() == 0; }

  // Finds the next move of a repair; returns false if no move gains, if the journal or the queue is
  // full, or if the chain has made all its moves.
  GLS_DEVICE bool find_repair() {
    if (journal.size + kEdges > kReversals || (limited && sums().moves_left <= 0) ||
        queue.size + 2 * kEdges > kWaiting) {
      return false;
    }
    const int size = queue.size;
    FirstFound<Length> found{{kNowhere, 0, 0}};
#pragma unroll 1
    while (queue.size > 0 && found.rank == kNowhere) {
      found = next_move<Neighbourhood, Length>(team, view, queue, choices, schedule.ahead, shared);
    }
    const bool finds = found.rank != kNowhere;
    note([&] {
      sums().looks += size - queue.size;
      sums().moves_left -= finds;
      sums().rise -= Cost(found.gain);
    });
    if (finds) team.each(1, [&](int) { shared.state.count(shared.move); });
    return finds;
  }

  // Makes the drawn or found move, and queues the ends of its edges.
  GLS_DEVICE void make_move() {
    const Move& move = shared.move;
    follow_move(team, view, move);
    if (move.shape == Shape::kBridge && shared.bridge.swaps()) {
      shared.bridge.swap(team, view.tour, false, ring);
    } else {
      apply_move(team, view.tour, move, turns_either_way(view, choices.directions),
                 [&](int first, int length) { journal.add(team, first, length); });
    }
    keep_tour(team, view);
    queue.push(team, move.t, 2 * move.edges);
  }

  // Empties the queue; returns the change of cost from a kick and its repair.
  GLS_DEVICE Cost end_repair() {
    queue.drop(team, queue.size);
    return rise();
  }

  GLS_DEVICE Cost rise() const { return rounded<kReal, Length>(sums().rise, shared.state.cost); }

  // Level of the acceptance rule, as a length.
  GLS_DEVICE float level() const {
    const State& state = shared.state;
    return batch.units[state.item] *
           fmax(schedule.heat - schedule.cooling * float(state.kicks), 0.0f);
  }

  // Undoes a kick and its repair.
  GLS_DEVICE void undo() {
    change_sums(team, view, [](const auto& objective) { objective.restore(); });
    journal.undo(team, view.tour);
    if (shared.bridge.swaps()) shared.bridge.swap(team, view.tour, true, ring);
    keep_tour(team, view);
  }

  // Counts a kick, and keeps the tour if it is the best so far.
  GLS_DEVICE void count_kick(bool taken, Cost rise) {
    State& state = shared.state;
    const Cost cost = state.cost;
    bool leads = taken && cost + rise < state.best;
    journal.size = 0;
    if constexpr (kJudges) {
      if (taken && (leads || !best_is_feasible)) {
        const bool feasible = is_feasible(team, view, [&](int p) { return view.tour.at(p); });
        leads = feasible == best_is_feasible ? leads : feasible;
        best_is_feasible = leads ? feasible : best_is_feasible;
      }
    }
    if (leads && batch.best_tours != batch.tours) {
      int* const best_tour = batch.best_tours + int64(state.item) * stride;
      team.each(view.tour.n, [&](int p) { best_tour[p] = view.tour.order[p]; });
    }
    team.sync();  // all lanes have read the state
    team.once([&] {
      ++state.kicks;
      state.idle = leads ? 0 : state.idle + 1;
      if (!taken) return;
      ++state.accepted;
      state.cost = cost + rise;
      if (leads) state.best = cost + rise;
    });
  }

  // Changes the sums: one lane does so if they are shared; otherwise, each lane changes its copy.
  template <class Change>
  GLS_DEVICE void note(Change change) {
    if constexpr (kScarce)
      team.each(1, [&](int) { change(); });
    else
      change();
  }
  GLS_DEVICE Sums& sums() { return kScarce ? shared.sums : own_sums; }
  GLS_DEVICE const Sums& sums() const { return kScarce ? shared.sums : own_sums; }

  // Returns how many moves a chain may still make, at most 2^30 in a launch.
  GLS_DEVICE int moves_of_launch(int item) const {
    const int64 left = schedule.max_moves - batch.move_counts[item];
    return int(left < 1 << 30 ? left : 1 << 30);
  }

  GLS_DEVICE static int64 chain_bytes(int n) {
    return Scope::template own_bytes<Site, City>(n) + Memory::template slot_bytes<ChainMemory>() +
           tour_bytes<City>(n, kWaiting) + piece_bytes<City>(2 * kReversals);
  }
};

}  // namespace gls
