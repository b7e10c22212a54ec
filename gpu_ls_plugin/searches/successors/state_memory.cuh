// Where what a problem's functor keeps of a state lies.
#pragma once

#include "include/team.cuh"

namespace gls {

// In the shared memory of its block where a batch has none.
template <class Batch>
GLS_DEVICE char* kept_of(const Batch& all, int item) {
#ifdef __CUDACC__
  extern __shared__ __align__(16) char shared[];
  if (all.kept == nullptr) return shared;
#endif
  return all.kept + item * all.kept_bytes;
}

}  // namespace gls
