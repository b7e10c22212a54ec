// Parameters and state of the chains of a launch.
#pragma once

#include "tours/problem/metric.cuh"

namespace gls {

// Parameters of the chains of a launch.
struct KickSchedule {
  int ahead;            // maximum number of cities that a repair looks at together
  uint64 seed;          // of the kicks
  int64 first_row;      // chain r uses the random numbers of row first_row + r
  int64 until;          // a chain stops after this many kicks
  int64 max_moves;      // a chain stops after this many moves
  int patience;         // a chain waits after this many kicks without a new best tour; 0: never
  int window;           // places around the first cut of a kick; its meaning depends on the cuts
  float heat, cooling;  // the level of kick k is heat - cooling * k, in the unit of the chain

  GLS_DEVICE bool patient(int64 idle) const { return patience == 0 || idle < patience; }
};

// State of the chains of a launch; counts have an entry for each chain.
struct ChainBatch {
  const float* units;                // the length that corresponds to an acceptance level of 1
  int *tours, *best_tours;           // in rows; one array if the current tour is always the best
  void *costs, *best_costs;          // of these tours
  int64 *kick_counts, *move_counts;  // kicks and moves so far
  int64* accepted_counts;            // accepted kicks
  int64* idle_counts;                // kicks since the last new best tour
  int64* look_counts;                // looks at a city
  int64* moves_by;                   // moves by each neighbourhood, in all chains together
  char* scratch;                     // memory for chains that are not in shared memory

  GLS_DEVICE bool ended(int chain, const KickSchedule& schedule) const {
    return kick_counts[chain] >= schedule.until || move_counts[chain] >= schedule.max_moves ||
           !schedule.patient(idle_counts[chain]);
  }
};

// Returns `rise`, the change of cost from a kick and its repair, or 0 if a floating-point rise may
// be a rounding error of sums of type Length. In that case, the tour is almost always the same as
// before.
template <bool real, class Length, class Cost>
GLS_DEVICE Cost rounded(Cost rise, Cost cost) {
  constexpr double error = sizeof(Length) == 4 ? 1e-8 : 1e-12;
  return real && fabs(double(rise)) <= error * double(cost) ? 0 : rise;
}

}  // namespace gls
