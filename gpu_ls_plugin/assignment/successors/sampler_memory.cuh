// The memory of one item of work: in the device's memory or in shared memory.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// Memory in the item's part of an array, which the caller passes.
struct ScratchMemory {
  GLS_DEVICE static char* of(char* scratch) { return scratch; }
};

#ifdef __CUDACC__
extern __shared__ __align__(16) char sampler_memory[];

// Shared memory of a block that consists of one team.
struct BlockMemory {
  GLS_DEVICE static char* of(char*) { return sampler_memory; }
};
#endif

}  // namespace gls
