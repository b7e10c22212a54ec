// The chains of a launch: how they go on, and where they stand.
#pragma once

#include "tours/problem/metric.cuh"

namespace gls {

// How the chains of a launch go on. A kick's level is that of the acceptance rule, in the chain's
// unit.
struct KickSchedule {
  int ahead;            // cities that a repair looks at together
  uint64 seed;          // of the kicks
  int64 first_row;      // chain r has the random numbers of row first_row + r
  int64 until;          // kicks after which a chain stops
  int64 max_moves;      // moves after which a chain stops
  int patience;         // kicks without a new best after which a chain waits; 0: it does not
  int window;           // of a kick, as the cuts have it
  float heat, cooling;  // the level of a kick is heat - cooling * its number

  GLS_DEVICE bool patient(int64 idle) const { return patience == 0 || idle < patience; }
};

// Where the chains of a launch stand.
struct ChainBatch {
  const float* units;                // of every chain, the length for which 1 stands in a level
  int *tours, *best_tours;           // in rows, the same where the current tour is the best
  void *costs, *best_costs;          // of these tours
  int64 *kick_counts, *move_counts;  // of every chain, so far
  int64* accepted_counts;            // kicks that were taken
  int64* idle_counts;                // kicks since its last best
  int64* look_counts;                // cities that it has looked at
  int64* moves_by;                   // of each neighbourhood, moves of all chains together
  char* scratch;                     // memory of the chains that are not in shared memory

  GLS_DEVICE bool ended(int chain, const KickSchedule& schedule) const {
    return kick_counts[chain] >= schedule.until || move_counts[chain] >= schedule.max_moves ||
           !schedule.patient(idle_counts[chain]);
  }
};

// What a kick and its repair add to a cost; nothing where it is no more than rounding of real sums.
// As good as always the tour is the same then, and who is still to be looked at has been.
template <bool real, class Cost>
GLS_DEVICE Cost rounded(Cost rise, Cost cost) {
  return real && fabs(double(rise)) <= 1e-12 * double(cost) ? 0 : rise;
}

}  // namespace gls
