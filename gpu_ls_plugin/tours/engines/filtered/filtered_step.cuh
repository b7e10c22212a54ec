// The step after the evaluation of a chunk: applies or notes the best move, or goes on to the next
// chunk. An item is a tour.
#pragma once

#include "tours/engines/filtered/filtered_batch.cuh"

namespace gls {

// Returns the best move of all slots of a tour. After the `last` chunk, it empties the slots.
template <class Team, class Value>
GLS_DEVICE Ranked<Value> best_of_slots(const Team& team, int row, const FilteredBatch& batch,
                                       Ranked<Value> none, bool last) {
  auto* const slots = static_cast<Ranked<Value>*>(batch.best) + int64(row) * batch.slots;
  const Ranked<Value> best = team.least(batch.slots, none, [&](int slot) { return slots[slot]; });
  if (last) team.each(batch.slots, [&](int slot) { slots[slot] = none; });
  team.once([&] {
    batch.entry_counts[row] = 0;
    if (last) static_cast<int64*>(batch.bars)[row] = 0;
  });
  return best;
}

// Updates sites, edges, and the state of the filter after a change of the tour.
template <class Team, class Moves>
GLS_DEVICE void refresh(const Team& team, int row, const FilteredBatch& batch, bool complete) {
  using Value = typename Moves::Value;
  using Site = typename Moves::Tour::Site;
  const int n = batch.n;
  Site* const placed = static_cast<Site*>(batch.placed) + int64(row) * n;
  Value* const edges = static_cast<Value*>(batch.edges) + int64(row) * n;
  const Moves moves(batch, row);
  team.each(n,
            [&](int p) { placed[p] = static_cast<const Site*>(batch.sites)[moves.tour.city(p)]; });
  team.sync();
  team.each(n, [&](int p) { edges[p] = moves.tour.length(p, moves.tour.next(p)); });
  team.sync();
  if constexpr (keeps<typename Moves::Tour::Metric>()) {
    const auto& objective = moves.tour.lengths.metric.objective;
    objective.keep(team, n, [&](int p) { return moves.tour.city(p); });
    team.sync();
  }
  moves.test.refresh(team, complete);
  team.sync();
}

// Prepares a tour for the first chunk.
template <class Team, class Moves>
struct BeginFiltered {
  GLS_DEVICE static void run(const Team& team, int row, const FilteredBatch batch) {
    refresh<Team, Moves>(team, row, batch, true);
  }
};

// Applies the best move of all chunks or, if `eager`, of the first chunk that has an improving one
// (Schulz 2013, section 7).
template <class Team, class Moves>
struct TakeFiltered {
  using Space = typename Moves::Space;
  using Value = typename Moves::Value;

  GLS_DEVICE static void run(const Team& team, int row, const FilteredBatch batch) {
    const int n = batch.n;
    const bool running = batch.states[row] == kRunning, may_move = batch.running(row);
    const bool complete = batch.looked[row] + 1 == batch.chunks;
    team.sync();  // all lanes have read the values that one of them will change
    if (!running) return;
    if (!may_move) {
      team.once([&] { batch.states[row] = kOutOfMoves; });
      return;
    }
    const auto best = best_of_slots<Team, Value>(team, row, batch, {0, 0}, complete || batch.eager);
    bool gains = false;
    if ((complete || batch.eager) && best.value < 0) {
      const typename Moves::Tour tour(batch, row);
      const auto move = Space::ranked(best.index, n);
      Value removed = 0;
      for (int x = 0; x < Space::kEdges; ++x) removed += tour.edges[move.at[x]];
      gains = Space::gains(best.value, removed);
      team.sync();  // all lanes have read the edges
      if (gains) {
        Space::apply(team, gls::Tour<int>{batch.tours + int64(row) * n, n}, move);
        refresh<Team, Moves>(team, row, batch, complete);
      }
    }
    team.once([&] {
      const bool ends = complete || gains;
      if (complete && !gains) batch.states[row] = batch.kept[row] ? kOptimum : kNothingKept;
      if (ends) {
        batch.evaluated[row] += batch.kept[row];
        batch.kept[row] = 0;
      }
      batch.looked[row] = ends ? 0 : batch.looked[row] + 1;
      if (!batch.eager || !gains) batch.cursors[row] = (batch.cursors[row] + 1) % batch.chunks;
      batch.pass_counts[row] += ends;
      batch.move_counts[row] += gains;
    });
  }
};

// Notes the best of all moves that rank after the move noted last, as (change, rank).
template <class Team, class Moves>
struct NoteFiltered {
  using Value = typename Moves::Value;

  GLS_DEVICE static void run(const Team& team, int row, const FilteredBatch batch) {
    const bool complete = batch.looked[row] + 1 == batch.chunks;
    team.sync();
    const auto best =
        best_of_slots<Team, Value>(team, row, batch, {Following<Moves>::Step::kNone, 0}, complete);
    team.once([&] {
      if (complete) static_cast<Ranked<Value>*>(batch.before)[row] = best;
      batch.cursors[row] = (batch.cursors[row] + 1) % batch.chunks;
      batch.looked[row] = complete ? 0 : batch.looked[row] + 1;
    });
  }
};

}  // namespace gls
