// Local search by multi improvement (Rios et al. 2017): a number of cities are looked at, each by
// itself, and of the moves found all that are independent are applied together.
//
// One tour a team, whose squads look at cities side by side. A city without a move is not looked at
// again until it is the end of an edge that has changed; one whose move was not applied stays.
#pragma once

#include "tours/engines/descent/descent_batch.cuh"
#include "tours/engines/descent/look_bits.cuh"
#include "tours/moves/relink.cuh"
#include "tours/engines/descent/scout.cuh"
#include "tours/kernels/tour_memory.cuh"

namespace gls {

// The cities that are looked at together, and their moves.
template <int kMost, class Length>
struct LookBatch {
  int looked, cities[kMost];        // how many cities, and which
  FirstFound<Length> found[kMost];  // the best move of each
  int improving, ranks[kMost];      // how many have one, and which
  Move moves[kMost];
  Cuts cuts[kMost];
  uint32 conflicts[kMost][kMost / 32];  // of move i, bit j < i: both are not independent
  int sweep, later;                     // where it began and goes on
  Relinking<kMost> relinking;
};

constexpr int kLookBatchBytes = 25888;  // on a device

// Where the tours' sweeps over their cities are.
struct SweepState {
  int most;       // cities to look at together
  uint32* looks;  // of every tour, the bits of LookBits: cities to be looked at
  int* sweeps;    // of every tour, the city at which its sweep goes on
};

template <class Team, class Metric, class Length, class Memory, class Neighbourhood>
struct MultiDescent {
  static constexpr int kMost = 64;
  using City = typename Memory::City;
  using MetricLengths = Lengths<Metric, Length>;
  using Site = typename MetricLengths::City;
  using View = gls::View<MetricLengths, City>;
  using Squad = typename Team::Squad;
  using Batch = LookBatch<kMost, Length>;
  static_assert(!kOnDevice || sizeof(Batch) <= kLookBatchBytes, "of what cities have");

  // Once a block, before its tours.
  template <class... Rest>
  GLS_DEVICE static void prepare(const Team&, const Instance& instance, const Rest&...) {
    Memory::template load_sites<Site>(static_cast<const Site*>(instance.sites), instance.n);
  }

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, Candidates lists,
                             DescentBatch descents, SweepState state) {
    if (descents.states[item] != kRunning) return;
    const int n = instance.n;
    Memory memory(team, item, tour_bytes<City>(n, n) + Memory::template slot_bytes<Batch>(),
                  piece_bytes<Site>(n), descents.scratch);
    MultiDescent search(team, item, memory, instance, lists, descents, state);
    search.begin();
    search.descend();
    search.write();
  }

 private:
  const Team& team;
  const int item;  // the tour's row
  const DescentBatch& descents;
  const SweepState& state;
  Batch& batch;
  View view;
  City* spare;  // room for a tour
  const LookBits bits;
  const Choices choices;
  MovesByPart<Neighbourhood>& by_part;
  int64 moves;
  int looked = 0;

  GLS_DEVICE MultiDescent(const Team& team, int item, Memory& memory, const Instance& instance,
                          const Candidates& lists, const DescentBatch& descents,
                          const SweepState& state)
      : team(team),
        item(item),
        descents(descents),
        state(state),
        batch(memory.template slot<Batch>(team)),
        view(view_of<MetricLengths, City>(
            {memory.template take<City>(instance.n), memory.template take<City>(instance.n),
             instance.n},
            instance, memory.sites(static_cast<const Site*>(instance.sites)), lists, item)),
        spare(memory.template take<City>(instance.n)),
        bits{memory.template take<uint32>((instance.n + 31) / 32), (instance.n + 31) / 32},
        choices(lists.directions, lists.breadth, Neighbourhood::variants(lists.degree)),
        by_part(shared_slot<MovesByPart<Neighbourhood>>(team)),
        moves(descents.move_counts[item]) {}

  GLS_DEVICE int* row() const { return descents.tours + int64(item) * view.tour.n; }
  GLS_DEVICE uint32* kept_bits() const { return state.looks + int64(item) * bits.count; }

  // Takes a tour up where the last launch has left it.
  GLS_DEVICE void begin() {
    view.tour.read(team, row());
    keep_tour(team, view);
    team.each(bits.count, [&](int w) { bits.words[w] = kept_bits()[w]; });
    team.once([&] {
      by_part.clear();
      batch.later = state.sweeps[item];
    });
    take_cities();
    team.sync();
  }

  GLS_DEVICE void descend() {
#pragma unroll 1
    while (!team.cut() && moves < descents.max_moves && looked < descents.passes &&
           batch.looked > 0) {
      looked += batch.looked;
      look_around();
      if (batch.improving == 0) {
        take_cities();
        team.sync();
        continue;
      }
      make_moves();
      compare();
      take(descents.max_moves - moves);
      apply();
    }
  }

  // Leaves a tour to the next launch.
  GLS_DEVICE void write() {
    int* const its_row = row();
    uint32* const kept = kept_bits();
    team.each(view.tour.n, [&](int p) { its_row[p] = view.tour.order[p]; });
    team.each(bits.count, [&](int w) { kept[w] = bits.words[w]; });
    team.once([&] {
      state.sweeps[item] = batch.sweep;
      descents.pass_counts[item] += looked;
      descents.move_counts[item] = moves;
      by_part.add_to(descents.moves_by);
      descents.states[item] = batch.looked == 0             ? kOptimum
                              : moves >= descents.max_moves ? kOutOfMoves
                                                            : kRunning;
    });
  }

  // The last squad alone: the cities to be looked at next.
  GLS_DEVICE void take_cities() {
    if (team.lane() / Squad::kLanes != Squad::kTeams - 1) return;
    const Squad squad{};
    const int sweep = batch.later;
    squad.sync();
    const int looked_at = bits.next(squad, sweep, state.most, batch.cities, batch.later);
    squad.once([&] {
      batch.sweep = sweep;
      batch.looked = looked_at;
    });
  }

  // Looks at the cities; those without a move are done with.
  GLS_DEVICE void look_around() {
    const Squad squad{};
    const int count = batch.looked, share = (count + Squad::kTeams - 1) / Squad::kTeams;
    const int from = squad.in_block() * share, left = count - from;
    if (left > 0) {
      look_each<Neighbourhood>(squad, view, &batch.cities[from], choices,
                               left < share ? left : share,
                               shared_slot<ScoutMemory<Squad, Length>>(squad), &batch.found[from]);
    }
    team.sync();
    if (team.lane() < Squad::kLanes) {
      int improving = 0;
#pragma unroll 1
      for (int base = 0; base < count; base += Squad::kLanes) {
        const int rank = base + squad.lane();
        const bool improves = rank < count && batch.found[rank].rank != kNowhere;
        const Compacted own = squad.compact(improves);
        if (improves)
          batch.ranks[improving + own.place] = rank;
        else if (rank < count)
          bits.clear(squad, batch.cities[rank]);
        improving += own.total;
      }
      squad.once([&] { batch.improving = improving; });
    }
    team.sync();
  }

  // The moves that were found, and their cuts.
  GLS_DEVICE void make_moves() {
    const int count = batch.improving;
    team.each(count, [&](int i) {
      const int rank = batch.ranks[i];
      make_move<Neighbourhood>(view, choices, batch.cities[rank], batch.found[rank].index,
                               batch.moves[i]);
    });
    team.sync();
    const auto each_edge = [&](auto f) {
      team.each(count * kMaxExchange, [&](int item) {
        const int i = item / kMaxExchange, edge = item % kMaxExchange;
        if (edge < batch.moves[i].edges) f(batch.cuts[i], batch.moves[i], edge);
      });
      team.sync();
    };
    each_edge([&](Cuts& cuts, const Move& move, int edge) { cuts.find(view.tour, move, edge); });
    each_edge([&](Cuts& cuts, const Move& move, int edge) { cuts.sort(move.edges, edge); });
    each_edge([&](Cuts& cuts, const Move& move, int edge) {
      if (edge == 0) cuts.find_segment(view.tour, move);
    });
  }

  // Which moves are not independent of which before them.
  GLS_DEVICE void compare() {
    const int count = batch.improving, n = view.tour.n;
    team.each(2 * count, [&](int word) { batch.conflicts[word / 2][word % 2] = 0; });
    team.sync();
    // All pairs: rows 0, 1, ... of a triangle each with what its last rows lack, an odd number.
    const int odd = count | 1;
    team.each(odd / 2 * odd, [&](int pair) {
      const int row = pair / odd, column = pair - row * odd;
      const bool fits = column > row;
      const int i = fits ? column : odd - 1 - column, j = fits ? row : odd - 2 - row;
      if (i >= count) return;
      const Cuts &later = batch.cuts[i], &earlier = batch.cuts[j];
      if (!later.independent(earlier, n) || !add_up(view, later, earlier)) {
        team.set_bit(batch.conflicts[i], j);
      }
    });
    team.sync();
  }

  // Takes the moves, in the order of their cities, that are independent of all taken before.
  GLS_DEVICE void take(int64 most) {
    if (team.lane() < Squad::kLanes) {
      const Squad squad{};
      const int count = batch.improving;
      const uint64 taken = squad.first_fit(count, [&](int i) {
        return batch.conflicts[i][0] | uint64(batch.conflicts[i][1]) << 32;
      });
      auto& relinking = batch.relinking;
      int chosen = 0, cuts = 0;
#pragma unroll 1
      for (int base = 0; base < count; base += Squad::kLanes) {
        const int i = base + squad.lane();
        const bool fits = i < count && (taken >> i & 1) != 0;
        const Compacted own = squad.compact(fits);
        const bool mine = fits && chosen + own.place < most;
        const Compacted edges = squad.stacked(mine ? batch.moves[i].edges : 0);
        if (mine) {
          relinking.chosen[chosen + own.place] = i;
          relinking.first[chosen + own.place] = cuts + edges.place;
        }
        chosen += own.total, cuts += edges.total;
      }
      squad.once([&] {
        relinking.moves = chosen < most ? chosen : int(most);
        relinking.count = cuts;
      });
    }
    team.sync();
  }

  // Applies the moves that are taken; the ends of their edges are to be looked at again.
  GLS_DEVICE void apply() {
    auto& relinking = batch.relinking;
    moves += relinking.moves;
    team.each(relinking.moves * 2 * kMaxExchange, [&](int each) {
      const Move& move = batch.moves[relinking.chosen[each / (2 * kMaxExchange)]];
      const int t = each % (2 * kMaxExchange);
      if (t < 2 * move.edges) bits.set(team, move.t[t]);
      if (t == 0) by_part.count_together(move);
    });
    relinking.apply(team, view.tour, spare, batch.moves, batch.cuts, [&] { take_cities(); });
    keep_tour(team, view);
  }
};

}  // namespace gls
