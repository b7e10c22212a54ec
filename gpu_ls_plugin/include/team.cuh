// Teams: the one way in which a part may be parallel.
//
// A team owns one item of work (a tour) and shares index ranges among its lanes. On the GPU it is
// a warp or a block; on the CPU it is one thread with a plain loop, which the compiler vectorises.
// Every reduction is over a total order or, for sums, in an order that the number of lanes does
// not change, so that all teams return the same result.
#pragma once

#ifdef __CUDACC__
#define GLS_DEVICE __device__ __forceinline__
#else
#include <cmath>
#include <cstring>
#define GLS_DEVICE inline
#endif

namespace gls {

using int64 = long long;
using uint32 = unsigned int;
using uint64 = unsigned long long;

// A value with the index that breaks ties: the smaller index wins.
template <class Value>
struct Ranked {
  Value value;
  int64 index;

  GLS_DEVICE bool operator<(const Ranked& other) const {
    return value < other.value || (value == other.value && index < other.index);
  }
};

// Sums are made of this many interleaved partial sums on every team.
constexpr int kPartialSums = 32;

#ifdef __CUDACC__

constexpr unsigned kAllLanes = 0xffffffffu;

namespace warp {

// Copies a trivially copyable value from another lane, word by word.
template <class T>
GLS_DEVICE T shuffle_xor(T value, int mask) {
  static_assert(sizeof(T) % 4 == 0, "values travel between lanes in 32-bit words");
  union Words {
    T value;
    int word[sizeof(T) / 4];
    GLS_DEVICE Words() {}
  } words;
  words.value = value;
#pragma unroll
  for (int w = 0; w < int(sizeof(T) / 4); ++w) {
    words.word[w] = __shfl_xor_sync(kAllLanes, words.word[w], mask);
  }
  return words.value;
}

template <class T>
GLS_DEVICE T least(T mine) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) {
    const T other = shuffle_xor(mine, mask);
    if (other < mine) mine = other;
  }
  return mine;
}

// Least of 32 unsigned values: one instruction from sm_80 on.
GLS_DEVICE uint32 least(uint32 mine) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(kAllLanes, mine);
#else
  return least<uint32>(mine);
#endif
}

}  // namespace warp

// 32 lanes of one warp; `Warps` of them share a block without knowing of each other.
template <int Warps>
struct Warp {
  static constexpr int kThreads = 32 * Warps;
  static constexpr int kTeams = Warps;

  GLS_DEVICE static int in_block() { return threadIdx.x / 32; }
  GLS_DEVICE static int lane() { return threadIdx.x % 32; }
  GLS_DEVICE void sync() const { __syncwarp(); }

  // f(i) for every i in [0, count), in no order.
  template <class F>
  GLS_DEVICE void each(int count, F f) const {
    for (int i = lane(); i < count; i += 32) f(i);
  }

  // f() by one lane; the others wait and see what it wrote.
  template <class F>
  GLS_DEVICE void once(F f) const {
    if (lane() == 0) f();
    __syncwarp();
  }

  // The least of `none` and f(i) for i in [0, count), known to every lane.
  template <class T, class F>
  GLS_DEVICE T least(int count, T none, F f) const {
    for (int i = lane(); i < count; i += 32) {
      const T candidate = f(i);
      if (candidate < none) none = candidate;
    }
    return warp::least(none);
  }

  template <class T, class F>
  GLS_DEVICE T sum(int count, F f) const {
    T total = 0;
    for (int i = lane(); i < count; i += kPartialSums) total += f(i);
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) total += warp::shuffle_xor(total, mask);
    return total;
  }
};

// A whole block; reductions go through `Threads / 32` slots of static shared memory.
template <int Threads>
struct Block {
  static constexpr int kThreads = Threads;
  static constexpr int kTeams = 1;

  GLS_DEVICE static int in_block() { return 0; }
  GLS_DEVICE static int lane() { return threadIdx.x; }
  GLS_DEVICE void sync() const { __syncthreads(); }

  template <class F>
  GLS_DEVICE void each(int count, F f) const {
    for (int i = threadIdx.x; i < count; i += Threads) f(i);
  }

  template <class F>
  GLS_DEVICE void once(F f) const {
    if (threadIdx.x == 0) f();
    __syncthreads();
  }

  template <class T>
  GLS_DEVICE T least(T mine) const {
    __shared__ __align__(16) char storage[Threads / 32 * sizeof(T)];
    T* slots = reinterpret_cast<T*>(storage);
    mine = warp::least(mine);
    __syncthreads();  // the slots of the reduction before may still be read
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = mine;
    __syncthreads();
    for (int w = 0; w < Threads / 32; ++w) {
      if (slots[w] < mine) mine = slots[w];
    }
    return mine;
  }

  template <class T, class F>
  GLS_DEVICE T least(int count, T none, F f) const {
    for (int i = threadIdx.x; i < count; i += Threads) {
      const T candidate = f(i);
      if (candidate < none) none = candidate;
    }
    return least(none);
  }
};

#else

// One CPU thread.
struct Host {
  static constexpr int kThreads = 1;
  static constexpr int kTeams = 1;

  void sync() const {}

  template <class F>
  void each(int count, F f) const {
    for (int i = 0; i < count; ++i) f(i);
  }

  template <class F>
  void once(F f) const {
    f();
  }

  template <class T, class F>
  T least(int count, T none, F f) const {
    for (int i = 0; i < count; ++i) {
      const T candidate = f(i);
      if (candidate < none) none = candidate;
    }
    return none;
  }

  template <class T, class F>
  T sum(int count, F f) const {
    T partial[kPartialSums] = {};
    for (int i = 0; i < count; ++i) partial[i % kPartialSums] += f(i);
    for (int mask = 16; mask > 0; mask >>= 1) {  // the order of the warp's butterfly
      for (int i = 0; i < mask; ++i) partial[i] += partial[i + mask];
    }
    return partial[0];
  }
};

#endif

}  // namespace gls
