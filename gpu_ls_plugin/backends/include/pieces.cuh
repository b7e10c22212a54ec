// Memory that is handed out piece by piece.
#pragma once

#include "backends/include/team.cuh"

namespace gls {

// Returns how many bytes `Pieces::take` uses for `count` entries.
template <class T>
GLS_DEVICE int64 piece_bytes(int count) {
  return (int64(count) * sizeof(T) + 15) / 16 * 16;
}

// Hands out pieces of memory, each at a multiple of 16 bytes.
struct Pieces {
  char* free;

  // Returns the memory for data of a team other than its tour; it is always shared memory.
  template <class T, class Team>
  GLS_DEVICE T& slot(const Team& team) {
    return shared_slot<T>(team);
  }
  template <class T>
  GLS_DEVICE static int64 slot_bytes() {
    return 0;
  }

  template <class T>
  GLS_DEVICE T* take(int count) {
    T* taken = static_cast<T*>(__builtin_assume_aligned(free, 16));
    free += piece_bytes<T>(count);
    return taken;
  }
};

}  // namespace gls
