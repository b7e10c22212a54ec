// The tours of a launch that descents work on, as they stand.
#pragma once

#include "backends/include/team.cuh"
#include "tours/engines/search_state.cuh"

namespace gls {

struct DescentBatch {
  int passes;             // looks at a city that a tour has in this launch
  int64 max_moves;        // after which a tour stops
  int* tours;             // in rows
  unsigned char* states;  // of every tour, a SearchState
  int64* pass_counts;     // of every tour, looks ...
  int64* move_counts;     // ... and moves so far
  int64* moves_by;        // of each neighbourhood, moves of all tours together
  char* scratch;          // memory of the tours that are not in shared memory
};

}  // namespace gls
