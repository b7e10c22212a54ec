// The tours of a launch of descents or climbs, and their counts.
#pragma once

#include "backends/include/team.cuh"
#include "tours/engines/search_state.cuh"

namespace gls {

struct DescentBatch {
  // Maximum number of passes of a tour in this launch. A pass is a look at a city, or an evaluation
  // of the whole neighbourhood.
  int passes;
  int64 max_moves;        // maximum number of moves of a tour
  int* tours;             // in rows
  unsigned char* states;  // of each tour, a SearchState
  int64* pass_counts;     // of each tour, passes so far
  int64* move_counts;     // of each tour, moves so far
  int64* moves_by;        // moves by each neighbourhood, in all tours together
  char* scratch;          // memory for what does not fit into shared memory

  GLS_DEVICE bool out_of_moves(int tour) const { return move_counts[tour] >= max_moves; }
  GLS_DEVICE bool climbs(int tour) const { return states[tour] == kRunning && !out_of_moves(tour); }
};

}  // namespace gls
