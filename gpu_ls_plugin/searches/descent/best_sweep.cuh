// Best improvement on candidates (Fosin et al. 2013): all cities are looked at, the best move of
// all is applied. Chunks of the cities and shares of their first steps are evaluated side by side,
// one block takes the best of them.
#pragma once

#include "tours/apply_move.cuh"
#include "searches/descent/scout.cuh"

namespace gls {

// Every `step`-th city in place of a queue: cities with much work often have neighbouring numbers.
// Of their first steps a team takes its share.
struct EveryCity {
  int first, step, share, shares;
  GLS_DEVICE int operator[](int rank) const { return first + rank * step; }
  GLS_DEVICE int count(int n) const { return (n - first + step - 1) / step; }
};

// Evaluation: item = (tour * chunks + chunk) * shares + share.
template <class Team, class Metric, class Length, class Neighbourhood>
struct EvaluateChunk {
  using Lengths = gls::Lengths<Metric, Length>;

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             const void* sites, float error_absolute, float error_relative,
                             const int* candidates, const void* candidate_lengths, int degree,
                             int sorted, int directions, int breadth, int chunks, int shares,
                             const unsigned char* states, int* tours, int* positions, void* found) {
    const int share = item % shares, chunk = item / shares % chunks, tour = item / shares / chunks;
    if (states[tour] != 0) return;
    const int64 row = int64(tour) * n;
    const auto view =
        view_of<Lengths, int>({tours + row, positions + row, n}, metric_data,
                              static_cast<const typename Lengths::City*>(sites), error_absolute,
                              error_relative, candidates, candidate_lengths, degree, sorted);
    const Choices choices(directions, breadth, Neighbourhood::variants(degree));
    const EveryCity cities{chunk, chunks, share, shares};
    auto& notes = shared_slot<Notes<Team, Length>>(team);
    auto best =
        look<Neighbourhood, BestFound<Length>>(team, view, cities, choices, cities.count(n), notes);
    if (best.rank != kNowhere) best.rank = cities[best.rank];
    team.once([&] { static_cast<BestFound<Length>*>(found)[item] = best; });
  }
};

// Replacement: the best move of a tour is applied.
template <class Team, class Metric, class Length, class Neighbourhood>
struct TakeBest {
  using Lengths = gls::Lengths<Metric, Length>;

  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             const void* sites, float error_absolute, float error_relative,
                             const int* candidates, const void* candidate_lengths, int degree,
                             int sorted, int directions, int breadth, int chunks, int shares,
                             const void* found, int64 max_moves, int* tours, int* positions,
                             unsigned char* states, int64* pass_counts, int64* move_counts,
                             int64* moves_by) {
    if (states[item] != 0) return;
    const int64 row = int64(item) * n;
    const auto view =
        view_of<Lengths, int>({tours + row, positions + row, n}, metric_data,
                              static_cast<const typename Lengths::City*>(sites), error_absolute,
                              error_relative, candidates, candidate_lengths, degree, sorted);
    const int evaluated = chunks * shares;
    const auto* own = static_cast<const BestFound<Length>*>(found) + int64(item) * evaluated;
    const auto best =
        team.least(evaluated, BestFound<Length>{{kNowhere, 0, 0}}, [&](int i) { return own[i]; });
    const bool improves = best.rank != kNowhere;
    if (improves) {
      Move& move = shared_slot<Move>(team);
      team.once([&] {
        const Choices choices(directions, breadth, Neighbourhood::variants(degree));
        make_move<Neighbourhood>(view, choices, best.rank, best.index, move);
        MovesByPart<Neighbourhood> one;
        one.clear();
        one.count(move);
        one.add_to(moves_by);
      });
      apply_move(team, view.tour, move, directions == 2);
    }
    team.once([&] {
      ++pass_counts[item];
      move_counts[item] += improves;
      if (!improves)
        states[item] = 1;
      else if (move_counts[item] >= max_moves)
        states[item] = 2;
    });
  }
};

// Where each city stands.
template <class Team>
struct MakePositions {
  GLS_DEVICE static void run(const Team& team, int item, int n, const int* tours, int* positions) {
    const int64 row = int64(item) * n;
    team.each(n, [&](int p) { positions[row + tours[row + p]] = p; });
  }
};

}  // namespace gls
