// Local search by multi improvement (Rios et al. 2017): a round finds the best move of each of
// several cities, and applies all independent ones together.
//
// A team searches one tour; its squads look at cities in parallel. A city without a move is not
// looked at again until one of its edges changes. A city whose move was not applied is looked at
// again.
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
  int looked, cities[kMost];        // the number of cities, and the cities
  FirstFound<Length> found[kMost];  // the best move of each city
  int improving, ranks[kMost];      // the number of cities with a move, and their ranks
  Move moves[kMost];
  Cuts cuts[kMost];
  uint32 conflicts[kMost][kMost / 32];  // bit j of row i: moves j < i and i are not independent
  int sweep, later;                     // bit at which the current sweep starts, and the next one
  Relinking<kMost> relinking;
};

constexpr int kLookBatchBytes = 25888;  // upper bound on the size in bytes of a LookBatch on a GPU

// The sweeps of the tours over their cities.
struct SweepState {
  int most;       // maximum number of cities that a round looks at together
  uint32* looks;  // of each tour, the bits of LookBits: cities to be looked at
  int* sweeps;    // of each tour, the start of its next sweep
};

template <class Team, class Metric, class Length, class Memory, class Neighbourhood>
struct MultiDescent : LoadsSites<Memory, typename Lengths<Metric, Length>::City> {
  // Maximum number of cities in a round; the conflicts of a move fit into two words.
  static constexpr int kMost = 64;
  using City = typename Memory::City;
  using MetricLengths = Lengths<Metric, Length>;
  using Site = typename MetricLengths::City;
  using View = gls::View<MetricLengths, City>;
  using Squad = typename Team::Squad;
  using Batch = LookBatch<kMost, Length>;
  static_assert(!kOnDevice || sizeof(Batch) <= kLookBatchBytes,
                "Python reserves kLookBatchBytes for a LookBatch");

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

  // Loads the state that the last launch wrote.
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

  // Writes the state for the next launch.
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

  // Selects the cities of the next round; only the last squad does so.
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

  // Looks at the cities; clears the bit of each city without a move.
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

  // Writes the moves that were found, and their cuts.
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

  // Finds the pairs of moves that are not independent.
  GLS_DEVICE void compare() {
    const int count = batch.improving, n = view.tour.n;
    team.each(2 * count, [&](int word) { batch.conflicts[word / 2][word % 2] = 0; });
    team.sync();
    // The pairs i > j form a triangle. Each short row is joined to a long one; the result is a
    // rectangle with rows of the same, odd length.
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

  // In the order of the cities, takes each move that is independent of all moves taken before it,
  // up to `most` moves.
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
        const bool within = fits && chosen + own.place < most;
        const Compacted edges = squad.stacked(within ? batch.moves[i].edges : 0);
        if (within) {
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

  // Applies the taken moves, and sets the bits of the ends of their edges.
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
