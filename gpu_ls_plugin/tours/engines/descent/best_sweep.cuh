// Best improvement on candidate lists (Fosin et al. 2013): a pass looks at all cities, and applies
// the best move of all. Many teams evaluate a tour in parallel: each takes a chunk of the cities,
// or a share of a chunk's first steps. Then one block per tour applies the best of their moves.
#pragma once

#include "tours/moves/apply_move.cuh"
#include "tours/engines/descent/scout.cuh"
#include "tours/engines/search_state.cuh"

namespace gls {

// The cities of a chunk, read like a queue. A chunk has every `step`-th city: cities that need much
// work often have neighbouring numbers, and this spreads them over the chunks. A team takes share
// number `share` of the first steps of its cities.
struct EveryCity {
  int first, step, share, shares;
  GLS_DEVICE int operator[](int rank) const { return first + rank * step; }
  GLS_DEVICE int count(int n) const { return (n - first + step - 1) / step; }
};

// The tours of a launch, and the best moves found so far.
struct SweepBatch {
  int chunks, shares;      // number of chunks of a tour, and of shares of a chunk
  int64 max_moves;         // maximum number of moves of a tour
  int *tours, *positions;  // in rows: the city at each place, and the place of each city
  unsigned char* states;   // of each tour, a SearchState
  int64* pass_counts;      // of each tour, passes so far
  int64* move_counts;      // of each tour, moves so far
  int64* moves_by;         // moves by each neighbourhood, in all tours together
  void* found;             // of each share of each chunk, the best move: a BestFound
};

// Returns the view through which moves read a tour.
template <class Lengths>
GLS_DEVICE View<Lengths, int> view_of_tour(const SweepBatch& batch, int tour,
                                           const Instance& instance, const Candidates& lists) {
  const int64 row = int64(tour) * instance.n;
  return view_of<Lengths, int>({batch.tours + row, batch.positions + row, instance.n}, instance,
                               static_cast<const typename Lengths::City*>(instance.sites), lists,
                               tour);
}

// Finds the best move of a share of a chunk; item = (tour * chunks + chunk) * shares + share.
template <class Team, class Metric, class Length, class Neighbourhood>
struct EvaluateChunk {
  using Lengths = gls::Lengths<Metric, Length>;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, Candidates lists,
                             SweepBatch batch) {
    const int n = instance.n, shares = batch.shares, chunks = batch.chunks;
    const int share = item % shares, chunk = item / shares % chunks, tour = item / shares / chunks;
    if (batch.states[tour] != kRunning) return;
    const auto view = view_of_tour<Lengths>(batch, tour, instance, lists);
    const Choices choices(lists.directions, lists.breadth, Neighbourhood::variants(lists.degree));
    const EveryCity cities{chunk, chunks, share, shares};
    auto& scout = shared_slot<ScoutMemory<Team, Length>>(team);
    auto best =
        look<Neighbourhood, BestFound<Length>>(team, view, cities, choices, cities.count(n), scout);
    if (best.rank != kNowhere) best.rank = cities[best.rank];
    team.once([&] { static_cast<BestFound<Length>*>(batch.found)[item] = best; });
  }
};

// Applies the best move of a tour; an item is a tour.
template <class Team, class Metric, class Length, class Neighbourhood>
struct TakeBest {
  using Lengths = gls::Lengths<Metric, Length>;

  GLS_DEVICE static void run(const Team& team, int item, Instance instance, Candidates lists,
                             SweepBatch batch) {
    if (batch.states[item] != kRunning) return;
    const auto view = view_of_tour<Lengths>(batch, item, instance, lists);
    const int evaluated = batch.chunks * batch.shares;
    const auto* own = static_cast<const BestFound<Length>*>(batch.found) + int64(item) * evaluated;
    const auto best =
        team.least(evaluated, BestFound<Length>{{kNowhere, 0, 0}}, [&](int i) { return own[i]; });
    const bool improves = best.rank != kNowhere;
    if (improves) {
      Move& move = shared_slot<Move>(team);
      team.once([&] {
        const Choices choices(lists.directions, lists.breadth,
                              Neighbourhood::variants(lists.degree));
        make_move<Neighbourhood>(view, choices, best.rank, best.index, move);
        MovesByPart<Neighbourhood> one;
        one.clear();
        one.count(move);
        one.add_to(batch.moves_by);
      });
      apply_kept_move(team, view, move, turns_either_way(view, lists.directions));
    }
    team.once([&] {
      ++batch.pass_counts[item];
      batch.move_counts[item] += improves;
      if (!improves)
        batch.states[item] = kOptimum;
      else if (batch.move_counts[item] >= batch.max_moves)
        batch.states[item] = kOutOfMoves;
    });
  }
};

// Writes the position of each city.
template <class Team>
struct MakePositions {
  GLS_DEVICE static void run(const Team& team, int item, int n, const int* tours, int* positions) {
    const int64 row = int64(item) * n;
    team.each(n, [&](int p) { positions[row + tours[row + p]] = p; });
  }
};

}  // namespace gls
