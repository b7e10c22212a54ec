// Where a sampler stores what it stores of one variable's values.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// In the successor's scratch.
struct ScratchMemory {
  GLS_DEVICE static char* of(char* scratch) { return scratch; }
};

#ifdef __CUDACC__
extern __shared__ __align__(16) char sampler_memory[];

// In shared memory, of which a block is one team.
struct BlockMemory {
  GLS_DEVICE static char* of(char*) { return sampler_memory; }
};
#endif

}  // namespace gls
