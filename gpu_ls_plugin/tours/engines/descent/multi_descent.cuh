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
    int* row = descents.tours + int64(item) * n;
    const int words = (n + 31) / 32;
    uint32* const kept = state.looks + int64(item) * words;
    Memory memory(team, item, tour_bytes<City>(n, n) + Memory::template slot_bytes<Batch>(),
                  piece_bytes<Site>(n), descents.scratch);
    Batch& batch = memory.template slot<Batch>(team);
    View view = view_of<MetricLengths, City>(
        {memory.template take<City>(n), memory.template take<City>(n), n}, instance,
        memory.sites(static_cast<const Site*>(instance.sites)), lists, item);
    City* spare = memory.template take<City>(n);
    const LookBits bits{memory.template take<uint32>(words), words};
    view.tour.read(team, row);
    keep_tour(team, view);
    team.each(words, [&](int w) { bits.words[w] = kept[w]; });
    auto& by_part = shared_slot<MovesByPart<Neighbourhood>>(team);
    team.once([&] {
      by_part.clear();
      batch.later = state.sweeps[item];
    });
    const Choices choices(lists.directions, lists.breadth, Neighbourhood::variants(lists.degree));
    const auto take_cities = [&] {
      if (team.lane() / Squad::kLanes == Squad::kTeams - 1) next_cities(bits, state.most, batch);
    };
    take_cities();
    team.sync();
    int64 moves = descents.move_counts[item];
    int looked = 0;
#pragma unroll 1
    while (!team.cut() && moves < descents.max_moves && looked < descents.passes &&
           batch.looked > 0) {
      looked += batch.looked;
      look_around(team, view, bits, choices, batch);
      if (batch.improving == 0) {
        take_cities();
        team.sync();
        continue;
      }
      make_moves(team, view, choices, batch);
      compare(team, view, batch);
      take(team, descents.max_moves - moves, batch);
      const auto& chosen = batch.relinking;
      moves += chosen.moves;
      team.each(chosen.moves * 2 * kMaxExchange, [&](int each) {
        const Move& move = batch.moves[chosen.chosen[each / (2 * kMaxExchange)]];
        const int t = each % (2 * kMaxExchange);
        if (t < 2 * move.edges) bits.set(team, move.t[t]);
        if (t == 0) by_part.count_together(move);
      });
      batch.relinking.apply(team, view.tour, spare, batch.moves, batch.cuts, take_cities);
      keep_tour(team, view);
    }
    team.each(n, [&](int p) { row[p] = view.tour.order[p]; });
    team.each(words, [&](int w) { kept[w] = bits.words[w]; });
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

 private:
  // One squad alone: the cities to be looked at next.
  GLS_DEVICE static void next_cities(const LookBits& bits, int most, Batch& batch) {
    const Squad squad{};
    const int sweep = batch.later;
    squad.sync();
    const int looked = bits.next(squad, sweep, most, batch.cities, batch.later);
    squad.once([&] {
      batch.sweep = sweep;
      batch.looked = looked;
    });
  }

  // Looks at the cities; those without a move are done with.
  GLS_DEVICE static void look_around(const Team& team, const View& view, const LookBits& bits,
                                     const Choices& choices, Batch& batch) {
    const Squad squad{};
    const int looked = batch.looked, share = (looked + Squad::kTeams - 1) / Squad::kTeams;
    const int from = squad.in_block() * share, left = looked - from;
    if (left > 0) {
      look_each<Neighbourhood>(squad, view, &batch.cities[from], choices,
                               left < share ? left : share,
                               shared_slot<ScoutMemory<Squad, Length>>(squad), &batch.found[from]);
    }
    team.sync();
    if (team.lane() < Squad::kLanes) {
      int improving = 0;
#pragma unroll 1
      for (int base = 0; base < looked; base += Squad::kLanes) {
        const int rank = base + squad.lane();
        const bool improves = rank < looked && batch.found[rank].rank != kNowhere;
        const Compacted own = squad.compact(improves);
        if (improves)
          batch.ranks[improving + own.place] = rank;
        else if (rank < looked)
          bits.clear(squad, batch.cities[rank]);
        improving += own.total;
      }
      squad.once([&] { batch.improving = improving; });
    }
    team.sync();
  }

  // The moves that were found, and their cuts.
  GLS_DEVICE static void make_moves(const Team& team, const View& view, const Choices& choices,
                                    Batch& batch) {
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
  GLS_DEVICE static void compare(const Team& team, const View& view, Batch& batch) {
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
  GLS_DEVICE static void take(const Team& team, int64 most, Batch& batch) {
    if (team.lane() < Squad::kLanes) {
      const Squad squad{};
      const int count = batch.improving;
      const uint64 taken = squad.first_fit(count, [&](int i) {
        return batch.conflicts[i][0] | uint64(batch.conflicts[i][1]) << 32;
      });
      auto& relinking = batch.relinking;
      int moves = 0, cuts = 0;
#pragma unroll 1
      for (int base = 0; base < count; base += Squad::kLanes) {
        const int i = base + squad.lane();
        const bool fits = i < count && (taken >> i & 1) != 0;
        const Compacted own = squad.compact(fits);
        const bool mine = fits && moves + own.place < most;
        const Compacted edges = squad.stacked(mine ? batch.moves[i].edges : 0);
        if (mine) {
          relinking.chosen[moves + own.place] = i;
          relinking.first[moves + own.place] = cuts + edges.place;
        }
        moves += own.total, cuts += edges.total;
      }
      squad.once([&] {
        relinking.moves = moves < most ? moves : int(most);
        relinking.count = cuts;
      });
    }
    team.sync();
  }
};

}  // namespace gls
