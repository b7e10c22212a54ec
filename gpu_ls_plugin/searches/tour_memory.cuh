// Where a tour, its queue and the cities lie while a team works on it.
#pragma once

#include "ring_tour.cuh"

#ifndef __CUDACC__
#include <vector>
#endif

namespace gls {

// Hands out parts of a piece of memory, each at a multiple of 16 bytes.
struct Pieces {
  char* free;

  template <class T>
  GLS_DEVICE T* take(int count) {
    T* taken = reinterpret_cast<T*>(free);
    free += (int64(count) * sizeof(T) + 15) / 16 * 16;
    return taken;
  }
};

// What `take` hands out for a tour: order, position, ring and bits.
template <class City>
GLS_DEVICE int64 tour_bytes(int n) {
  return 3 * ((int64(n) * sizeof(City) + 15) / 16 * 16) + (int64(n + 31) / 32 * 4 + 15) / 16 * 16;
}

#ifdef __CUDACC__

extern __shared__ __align__(16) char shared_memory[];

// Tours in shared memory, 16 bits a city; the cities, too, where `with_sites`.
template <bool with_sites>
struct SharedMemory : Pieces {
  using City = uint16;

  template <class Team>
  GLS_DEVICE SharedMemory(const Team& team, int, int n, int site_bytes, char*)
      : Pieces{shared_memory + (with_sites ? (n * site_bytes + 15) / 16 * 16 : 0) +
               team.in_block() * tour_bytes<City>(n)} {}

  template <class Site>
  GLS_DEVICE static void load_sites(const Site* from, int n) {
    if constexpr (with_sites) {
      Site* to = reinterpret_cast<Site*>(shared_memory);
      for (int c = threadIdx.x; c < n; c += blockDim.x) to[c] = from[c];
      __syncthreads();
    }
  }
  template <class Site>
  GLS_DEVICE const Site* sites(const Site* from) const {
    return with_sites ? reinterpret_cast<const Site*>(shared_memory) : from;
  }
};

// Everything in global memory.
struct GlobalMemory : Pieces {
  using City = int;

  template <class Team>
  GLS_DEVICE GlobalMemory(const Team&, int item, int n, int, char* scratch)
      : Pieces{scratch + item * tour_bytes<City>(n)} {}

  template <class Site>
  GLS_DEVICE static void load_sites(const Site*, int) {}
  template <class Site>
  GLS_DEVICE const Site* sites(const Site* from) const {
    return from;
  }
};

#else

// Memory of the thread, reused by its tours.
template <class CityType>
struct HostMemory : Pieces {
  using City = CityType;

  HostMemory(const Host&, int, int n, int, char*) : Pieces{memory(tour_bytes<City>(n))} {}

  static char* memory(int64 bytes) {
    struct alignas(16) Sixteen {
      char bytes[16];
    };
    static thread_local std::vector<Sixteen> kept;
    kept.resize(bytes / 16);
    return kept.data()->bytes;
  }
  template <class Site>
  static void load_sites(const Site*, int) {}
  template <class Site>
  const Site* sites(const Site* from) const {
    return from;
  }
};

#endif

}  // namespace gls
