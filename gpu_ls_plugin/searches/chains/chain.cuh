// Iterated local search: kick, repair, accept or undo, again and again; one chain a team.
//
// The repair of a kick looks at the cities whose edges changed only. Each reversal enters a
// journal; undone in reverse order they restore the tour, whose copy is never made.
#pragma once

#include "tours/apply_move.cuh"
#include "perturbations/bridge_cuts.cuh"
#include "searches/chains/kick_numbers.cuh"
#include "searches/descent/next_move.cuh"
#include "acceptance/rules.cuh"
#include "tours/tour_memory.cuh"

namespace gls {

// A chain's journal and queue are short, or tours would not fit beside each other; a repair that
// fills one of them ends early.
constexpr int kJournal = 96, kChainQueue = 128;
constexpr int kKickAttempts = 8;

template <class City>
struct Journal {
  City* entries;  // first place and length of each reversal
  int size = 0;

  GLS_DEVICE bool takes(int reversals) const { return size + reversals <= kJournal; }

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

// A double bridge, and the lengths of its edges; without segments where none was found.
template <class Length>
struct Bridge {
  BridgeCuts cuts;
  Length lengths[8];

  // Whether its segments change places at once, by way of the empty queue's ring. If not it is
  // made, and undone, like any move.
  GLS_DEVICE bool swaps() const { return cuts.at[3] - cuts.at[0] <= kChainQueue; }

  template <class Team, class City>
  GLS_DEVICE void swap(const Team& team, const RingTour<City>& tour, bool back, City* ring) const {
    const int b = cuts.at[1] - cuts.at[0], c = cuts.at[2] - cuts.at[1], d = cuts.at[3] - cuts.at[2];
    const int first = tour.wrap_high(cuts.first + cuts.at[0]);
    tour.swap_segments(team, first, back ? d : b, c, back ? b : d, ring);
  }
};

// Cuts a tour by a double bridge: the move in `move` with its gain, false where none was found.
// Neither it nor the bridge lies in registers.
template <class Cuts, class Team, class View, class Length = typename View::Length>
GLS_DEVICE bool draw_bridge(const Team& team, KickNumbers<Team>& random, const View& view,
                            int window, Bridge<Length>& bridge, Move& move, Length& gain) {
  const auto& tour = view.tour;
#pragma unroll 1
  for (int attempt = 0; attempt < kKickAttempts; ++attempt) {
    BridgeCuts cuts = Cuts::draw(random, view, window);
    GLS_UNROLL
    for (int c = 0; c < 4; ++c) {  // next to a fixed edge there is one that is not
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
    // The city before a cut leaves the one behind it for the one behind the cut after the next.
    team.each(8, [&](int edge) {
      const int cut = edge / 2, other = edge % 2 ? cut ^ 2 : cut;
      const auto place = [&](int c) { return tour.wrap_high(cuts.first + bridge.cuts.at[c]); };
      const int before = tour.at(place(cut) - 1), behind = tour.at(place(other));
      bridge.lengths[edge] = view.length(before, behind);
      if (edge % 2) return;
      move.t[cut == 0 ? 6 : 2 * cut - 1] = before;  // t[6] t[0], t[1] t[2], ... t[5] t[7]
      move.t[cut == 3 ? 7 : 2 * cut] = behind;
    });
    team.sync();
    gain = 0;
    GLS_UNROLL
    for (int edge = 0; edge < 8; edge += 2) gain += bridge.lengths[edge] - bridge.lengths[edge + 1];
    gain = view.worth(move, gain);
    if (view.allows(gain)) return true;
    team.sync();  // all have read the move
    gain = 0;
  }
  team.once([&] { bridge.cuts = {}; });
  return false;
}

// What a chain works on: a whole tour, all of whose cities it shares with the other chains ...
struct WholeTour {
  static constexpr bool kWhole = true;
  template <class Metric>
  using Named = Metric;
  template <class City>
  using Fixed = NoFixedEdges;
};

// ... or a part, of which `replicas` chains have copies: cities with numbers of their own, whose
// names are those in the tour, with candidates and fixed edges of their own.
struct TourPart {
  static constexpr bool kWhole = false;
  template <class Metric>
  using Named = typename NamedMetric<Metric>::Type;
  template <class City>
  using Fixed = FixedEdges<City>;
};

template <class Team, class Scope, class Metric, class Length, class Memory, class Neighbourhood,
          class Cuts, class Accept>
struct Chain {
  using City = typename Memory::City;
  using Named = typename Scope::template Named<Metric>;
  using Fixed = typename Scope::template Fixed<City>;
  using MetricLengths = Lengths<Named, Length>;
  using Site = typename MetricLengths::City;
  static constexpr bool kReal = MetricLengths::kReal;
  using Cost = typename Metric::Length;
  // Whether tours may be no results: then the best is the best of those that may, once there is
  // one. A part cannot tell.
  static constexpr bool kJudges = Scope::kWhole && !length_alone<Metric>();

  // Once a block, before its tours.
  template <class... Rest>
  GLS_DEVICE static void prepare(const Team&, const void*, int n, const void* sites, Rest...) {
    Memory::template load_sites<Site>(static_cast<const Site*>(sites), n);
  }

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int stride,
                             const void* sites, float error_absolute, float error_relative,
                             const int* candidates, const void* candidate_lengths, int degree,
                             int sorted, int directions, int breadth, int ahead, uint64 seed,
                             int64 first_row, int64 until, int64 max_moves, int patience,
                             int window, float heat, float cooling, const float* units, int* tours,
                             int* best_tours, void* costs, void* best_costs, int64* kick_counts,
                             int64* accepted_counts, int64* idle_counts, int64* look_counts,
                             int64* move_counts, int64* moves_by, char* scratch, int total,
                             int replicas, const int* part_sizes, const int* part_names,
                             const int* part_mates) {
    if (kick_counts[item] >= until || move_counts[item] >= max_moves ||
        !patient(patience, idle_counts[item])) {
      return;
    }
    const int64 row = int64(item) * stride;
    const int part = Scope::kWhole ? 0 : item / replicas;
    const int n = Scope::kWhole ? stride : part_sizes[part];
    const int64 first_city = int64(part) * stride;
    Memory memory(team, item, chain_bytes(stride), piece_bytes<Site>(stride), scratch);
    // What has a fixed size comes first: one address serves for all of it, and for the order.
    Slots& slots = memory.template slot<Slots>(team);
    Move& move = slots.move;
    auto& bridge = slots.bridge;
    State& state = slots.state;
    City* ring = memory.template take<City>(kChainQueue);
    Journal<City> journal{memory.template take<City>(2 * kJournal)};
    City* order = memory.template take<City>(stride);
    City* position = memory.template take<City>(stride);
    const Site* its_sites = memory.sites(static_cast<const Site*>(sites));
    Fixed fixed;
    if constexpr (!Scope::kWhole) {
      Site* own_sites = memory.template take<Site>(stride);
      City* mates = memory.template take<City>(stride);
      team.each(n, [&](int c) {
        own_sites[c] = static_cast<const Site*>(sites)[part_names[first_city + c]];
        mates[c] = City(part_mates[first_city + c]);
      });
      its_sites = own_sites;
      fixed = {mates};
    }
    const View<MetricLengths, City, Fixed> view{
        {order, position, n},
        {named(static_cast<const Named*>(nullptr), Metric(metric_data, total),
               part_names + first_city),
         its_sites,
         {error_absolute, error_relative}},
        {candidates, candidate_lengths, degree, sorted != 0, first_city * degree},
        fixed};
    WorkQueue<City> queue{ring, memory.template take<uint32>((stride + 31) / 32), kChainQueue, 0,
                          0};
    const auto& tour = view.tour;
    team.each(n, [&](int p) {
      const int city = tours[row + p];
      order[p] = City(city);
      position[city] = City(p);
    });
    queue.clear(team, n);

    const Choices choices(directions, breadth, Neighbourhood::variants(degree));
    team.once([&] {
      slots.drawn.group = -1;
      state.cost = static_cast<Cost*>(costs)[item];
      state.best = static_cast<Cost*>(best_costs)[item];
      state.kicks = kick_counts[item];
      state.idle = idle_counts[item];
      state.item = item;
      state.accepted = 0;
      slots.sums = {0, 0, moves_of_launch(max_moves - move_counts[item])};
      state.clear();
    });
    Sums own_sums{0, 0, moves_of_launch(max_moves - move_counts[item])};
    Sums& sums = kScarce ? slots.sums : own_sums;
    const auto note = [&](auto change) {
      if constexpr (kScarce)
        team.each(1, [&](int) { change(); });
      else
        change();
    };
    bool best_is_feasible = true;
    if constexpr (kJudges) {
      best_is_feasible = is_feasible(team, view, [&](int p) { return best_tours[row + p]; });
    }
    bool limited = false;
    const auto repair = [&] {
      if (!journal.takes(kMaxExchange) || (limited && sums.moves_left <= 0) ||
          queue.size + 2 * kMaxExchange > kChainQueue) {
        return false;
      }
      const int size = queue.size;
      FirstFound<Length> found{{kNowhere, 0, 0}};
#pragma unroll 1
      while (queue.size > 0 && found.rank == kNowhere) {
        found = next_move<Neighbourhood, Length>(team, view, queue, choices, ahead, slots);
      }
      const bool finds = found.rank != kNowhere;
      note([&] {
        sums.looks += size - queue.size;
        sums.moves_left -= finds;
        sums.rise -= Cost(found.gain);
      });
      if (finds) team.each(1, [&](int) { state.count(move); });
      return finds;
    };
#pragma unroll 1
    while (state.kicks < until && sums.moves_left > 0 && patient(patience, state.idle) &&
           !team.cut()) {
      limited = sums.moves_left < kJournal;
      Philox random(seed, Purpose::kKick, first_row + state.item);
      KickNumbers<Team> draws(team, random, state.kicks, slots.drawn);
      Length gain = 0;
      bool moves = draw_bridge<Cuts>(team, draws, view, window, bridge, move, gain);
      note([&] { sums.rise = -Cost(gain); });
#pragma unroll 1
      for (; moves; moves = repair()) {
        if (move.shape == Shape::kBridge && bridge.swaps())
          bridge.swap(team, tour, false, ring);
        else
          apply_move(team, tour, move, directions == 2,
                     [&](int first, int length) { journal.add(team, first, length); });
        queue.push(team, move.t, 2 * move.edges);
      }
      queue.drop(team, queue.size);
      const Cost cost = state.cost, best = state.best;
      Cost rise = sums.rise;
      if (kReal && fabs(double(rise)) <= 1e-12 * double(cost)) rise = 0;  // rounding alone
      const float level = units[state.item] * fmax(heat - cooling * float(state.kicks), 0.0f);
      random.seek((state.kicks + 1) * kDrawsPerKick - 1);
      const bool taken = Accept::takes(rise, level, random);
      if (!taken) {
        journal.undo(team, tour);
        if (bridge.swaps()) bridge.swap(team, tour, true, ring);
      }
      journal.size = 0;
      bool leads = taken && cost + rise < best;
      if constexpr (kJudges) {
        if (taken && (leads || !best_is_feasible)) {
          const bool feasible = is_feasible(team, view, [&](int p) { return tour.at(p); });
          leads = feasible == best_is_feasible ? leads : feasible;
          best_is_feasible = leads ? feasible : best_is_feasible;
        }
      }
      if (leads && best_tours != tours) {
        int* const best_tour = best_tours + int64(state.item) * stride;
        team.each(n, [&](int p) { best_tour[p] = tour.order[p]; });
      }
      team.sync();  // all have read the state
      team.once([&] {
        ++state.kicks;
        state.idle = leads ? 0 : state.idle + 1;
        if (!taken) return;
        ++state.accepted;
        state.cost = cost + rise;
        if (leads) state.best = cost + rise;
      });
    }
    const int own = state.item;
    int* const its_tour = tours + int64(own) * stride;
    team.each(n, [&](int p) { its_tour[p] = tour.order[p]; });
    team.once([&] {
      static_cast<Cost*>(costs)[own] = state.cost;
      static_cast<Cost*>(best_costs)[own] = state.best;
      kick_counts[own] = state.kicks;
      accepted_counts[own] += state.accepted;
      idle_counts[own] = state.idle;
      look_counts[own] += sums.looks;
      move_counts[own] += moves_of_launch(max_moves - move_counts[own]) - sums.moves_left;
      state.add_to(moves_by);
    });
  }

 private:
  GLS_DEVICE static int moves_of_launch(int64 left) { return int(left < 1 << 30 ? left : 1 << 30); }

  GLS_DEVICE static int64 chain_bytes(int n) {
    const int64 own = Scope::kWhole ? 0 : piece_bytes<Site>(n) + piece_bytes<City>(n);
    return own + Memory::template slot_bytes<Slots>() + tour_bytes<City>(n, kChainQueue) +
           piece_bytes<City>(2 * kJournal);
  }

  // Kept in shared memory: registers are scarce ...
  struct State : MovesByPart<Neighbourhood> {
    Cost cost, best;
    int64 kicks, idle;
    int item, accepted;
  };
  // ... and where many warps share them, what changes with each move, too.
  struct Sums {
    Cost rise;  // by a kick and its repair
    int looks, moves_left;
  };
  static constexpr bool kScarce = Team::kTeams > 10;
  struct Slots : Notes<Team, Length> {
    Bridge<Length> bridge;
    DrawnNumbers<Team> drawn;
    State state;
    Sums sums;
  };

  GLS_DEVICE static bool patient(int patience, int64 idle) {
    return patience == 0 || idle < patience;
  }
};

}  // namespace gls
