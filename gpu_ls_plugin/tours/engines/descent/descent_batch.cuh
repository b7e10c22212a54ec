// The tours of a launch that descents or climbs work on, as they stand.
#pragma once

#include "backends/include/team.cuh"
#include "tours/engines/search_state.cuh"

namespace gls {

struct DescentBatch {
  int passes;             // of a tour in this launch: looks at a city, or whole evaluations
  int64 max_moves;        // after which a tour stops
  int* tours;             // in rows
  unsigned char* states;  // of every tour, a SearchState
  int64* pass_counts;     // of every tour, passes ...
  int64* move_counts;     // ... and moves so far
  int64* moves_by;        // of each neighbourhood, moves of all tours together
  char* scratch;          // memory for what does not fit into shared memory

  GLS_DEVICE bool out_of_moves(int tour) const { return move_counts[tour] >= max_moves; }
  GLS_DEVICE bool climbs(int tour) const { return states[tour] == kRunning && !out_of_moves(tour); }
};

}  // namespace gls
