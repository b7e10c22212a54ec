// Parameters of parts as 8-byte words: integers, doubles or addresses.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

template <class T>
GLS_DEVICE T* address(uint64 word) {
  return reinterpret_cast<T*>(word);
}

}  // namespace gls
