// Memory of a tour, its queue and the sites of cities, while a team works on the tour.
#pragma once

#include "backends/include/pieces.cuh"
#include "tours/kernels/ring_tour.cuh"

#ifndef __CUDACC__
#include <vector>
#endif

namespace gls {

// Memory without a part that teams share: sites and other common data stay where they are.
struct OwnPieces : Pieces {
  template <class Site>
  GLS_DEVICE static void load_sites(const Site*, int) {}
  template <class Site>
  GLS_DEVICE const Site* sites(const Site* from) const {
    return from;
  }
  template <class T>
  GLS_DEVICE static void load_beside(int64, const T*, int) {}
  template <class T>
  GLS_DEVICE const T* beside(int64, const T* from) const {
    return from;
  }
  template <class Team, class T>
  GLS_DEVICE void fetch(const Team&, int64, const T*, int) const {}
};

// Returns the size in bytes of a tour: order, position, a queue of `ring` cities, and bits.
template <class City>
GLS_DEVICE int64 tour_bytes(int n, int ring) {
  return 2 * piece_bytes<City>(n) + piece_bytes<City>(ring) + piece_bytes<uint32>((n + 31) / 32);
}

#ifdef __CUDACC__

extern __shared__ __align__(16) char shared_memory[];

// Tours in shared memory, with 16 bits per city; it also holds sites if `with_sites`.
template <bool with_sites>
struct SharedMemory : Pieces {
  using City = uint16;

  // Returns the memory for data of a team. This memory precedes the tour, so that both need only
  // one address.
  template <class T, class Team>
  GLS_DEVICE T& slot(const Team&) {
    return *take<T>(1);
  }
  template <class T>
  GLS_DEVICE static int64 slot_bytes() {
    return piece_bytes<T>(1);
  }

  // Each team has `own` bytes, after `sites` bytes that all teams share.
  template <class Team>
  GLS_DEVICE SharedMemory(const Team& team, int, int64 own, int64 sites, char*)
      : Pieces{shared_memory + (with_sites ? sites : 0) + team.in_block() * own} {}

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

  // Loads other data that all teams share, `before` bytes after the beginning of the sites.
  template <class T>
  GLS_DEVICE static void load_beside(int64 before, const T* from, int count) {
    if constexpr (with_sites) {
      T* to = reinterpret_cast<T*>(shared_memory + before);
      for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
      __syncthreads();
    }
  }
  template <class T>
  GLS_DEVICE const T* beside(int64 before, const T* from) const {
    return with_sites ? reinterpret_cast<const T*>(shared_memory + before) : from;
  }
  template <class Team, class T>
  GLS_DEVICE void fetch(const Team&, int64, const T*, int) const {}
};

// Tours in shared memory, with 16 bits per city. Each team has sites and other data of its own
// there, which it fetches.
struct TeamMemory : Pieces {
  using City = uint16;

  char* const data;  // memory for sites and other data

  template <class Team>
  GLS_DEVICE TeamMemory(const Team& team, int, int64 own, int64 sites, char*)
      : Pieces{shared_memory + team.in_block() * (own + sites) + sites}, data(free - sites) {}

  template <class Site>
  GLS_DEVICE static void load_sites(const Site*, int) {}
  template <class Site>
  GLS_DEVICE const Site* sites(const Site*) const {
    return reinterpret_cast<const Site*>(data);
  }
  template <class T>
  GLS_DEVICE static void load_beside(int64, const T*, int) {}
  template <class T>
  GLS_DEVICE const T* beside(int64 before, const T*) const {
    return reinterpret_cast<const T*>(data + before);
  }
  // Copies `count` entries to the team's data, `before` bytes after their beginning.
  template <class Team, class T>
  GLS_DEVICE void fetch(const Team& team, int64 before, const T* from, int count) const {
    T* const to = reinterpret_cast<T*>(data + before);
    team.each(count, [&](int i) { to[i] = from[i]; });
    team.sync();
  }
};

// Tours and sites in global memory.
struct GlobalMemory : OwnPieces {
  using City = int;

  template <class Team>
  GLS_DEVICE GlobalMemory(const Team&, int item, int64 own, int64, char* scratch)
      : OwnPieces{{scratch + item * own}} {}
};

#else

// Memory of a CPU thread, which uses it for one tour after another.
template <class CityType>
struct HostMemory : OwnPieces {
  using City = CityType;

  HostMemory(const Host&, int, int64 own, int64, char*) : OwnPieces{{memory(own)}} {}

  static char* memory(int64 bytes) {
    struct alignas(16) Sixteen {
      char bytes[16];
    };
    static thread_local std::vector<Sixteen> kept;
    kept.resize(bytes / 16);
    return kept.data()->bytes;
  }
};

#endif

}  // namespace gls
