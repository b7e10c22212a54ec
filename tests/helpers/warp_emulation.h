// Runs the CUDA source of a kernel on the CPU, if its warps do not depend on each other: block
// after block, with a fiber per lane. Lanes of a warp must reach the same exchanges in the same
// order.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define __CUDACC__
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define asm(...) root = std::sqrt(v)  // the only assembly is that of fast_sqrt

struct Place {
  unsigned x;
};
static Place threadIdx, blockIdx;

namespace emulation {

constexpr int kStack = 1 << 16, kShared = 1 << 18;  // bytes
struct Exchange {
  int arrived, number, kind;
  int words[2][32];  // of this exchange and of the last one
};
alignas(16) static char shared[kShared];
static ucontext_t scheduler;
static std::vector<ucontext_t> fibers;
static std::vector<Exchange> warps;
static int alive;
static void (*body)();

[[noreturn]] inline void fail(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::abort();
}

inline void yield() { swapcontext(&fibers[threadIdx.x], &scheduler); }

// Waits for all lanes of the warp; returns the words that they have brought.
inline const int* exchange(int kind, unsigned mask, int mine) {
  if (mask != 0xffffffffu) fail("an exchange without all lanes");
  Exchange& own = warps[threadIdx.x / 32];
  const int number = own.number;
  int* const words = own.words[number & 1];
  if (own.arrived == 0) own.kind = kind;
  if (own.kind != kind) fail("lanes of a warp meet in different exchanges");
  words[threadIdx.x % 32] = mine;
  if (++own.arrived == 32) {
    own.arrived = 0;
    ++own.number;
  }
  while (own.number == number) yield();
  return words;
}

template <class To, class From>
To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

static void start() {
  body();
  --alive;
  yield();
}

// Calls `f` as each thread of each block; shared memory is full of huge numbers at first.
template <class F>
void launch(int blocks, int threads, F f) {
  static F* given;
  given = &f;
  body = [] { (*given)(); };
  std::vector<std::vector<char>> stacks(threads, std::vector<char>(kStack));
  for (int block = 0; block < blocks; ++block) {
    blockIdx.x = block;
    fibers.assign(threads, {});
    warps.assign(threads / 32, {});
    alive = threads;
    std::memset(shared, 0x7f, sizeof shared);
    std::vector<bool> done(threads);
    for (int t = 0; t < threads; ++t) {
      getcontext(&fibers[t]);
      fibers[t].uc_stack.ss_sp = stacks[t].data();
      fibers[t].uc_stack.ss_size = kStack;
      makecontext(&fibers[t], start, 0);
    }
    while (alive > 0) {
      for (int t = 0; t < threads; ++t) {
        if (done[t]) continue;
        threadIdx.x = t;
        const int before = alive;
        swapcontext(&scheduler, &fibers[t]);
        done[t] = alive < before;
      }
    }
  }
}

}  // namespace emulation

inline void __syncwarp(unsigned mask = 0xffffffffu) { emulation::exchange(1, mask, 0); }
inline unsigned __ballot_sync(unsigned mask, bool mine) {
  const int* const words = emulation::exchange(2, mask, mine);
  unsigned found = 0;
  for (int i = 0; i < 32; ++i) found |= unsigned(words[i]) << i;
  return found;
}
inline bool __any_sync(unsigned mask, bool mine) { return __ballot_sync(mask, mine) != 0; }
template <class T>
T __shfl_sync(unsigned mask, T mine, int lane) {
  return emulation::bits<T>(emulation::exchange(3, mask, emulation::bits<int>(mine))[lane & 31]);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T mine, int other) {
  return __shfl_sync(mask, mine, int(threadIdx.x % 32) ^ other);
}
template <class T>
T __shfl_up_sync(unsigned mask, T mine, int step) {
  return __shfl_sync(mask, mine, std::max(0, int(threadIdx.x % 32) - step));
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned mine) {
  const int* const words = emulation::exchange(4, mask, int(mine));
  for (int i = 0; i < 32; ++i) mine = std::min(mine, unsigned(words[i]));
  return mine;
}
inline void __syncthreads() { emulation::fail("warps wait for each other"); }
inline bool __syncthreads_or(bool) { emulation::fail("warps wait for each other"); }

inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __ffs(unsigned word) { return word ? __builtin_ctz(word) + 1 : 0; }
inline int __ffsll(long long word) { return word ? __builtin_ctzll(word) + 1 : 0; }
inline int __clzll(long long word) { return word ? __builtin_clzll(word) : 64; }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
inline float __int_as_float(int word) { return emulation::bits<float>(word); }
inline int __float_as_int(float value) { return emulation::bits<int>(value); }
inline float __uint_as_float(unsigned word) { return emulation::bits<float>(word); }
inline double __longlong_as_double(long long word) { return emulation::bits<double>(word); }
inline long long __double_as_longlong(double value) { return emulation::bits<long long>(value); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fadd_rd(float a, float b) { return a + b; }
template <class T, class V>
T atomicAdd(T* at, V more) {
  const T before = *at;
  *at += more;
  return before;
}
template <class T, class V>
T atomicMin(T* at, V other) {
  const T before = *at;
  *at = std::min(before, T(other));
  return before;
}
template <class T, class V>
T atomicOr(T* at, V bits) {
  const T before = *at;
  *at |= bits;
  return before;
}
template <class T, class V>
T atomicAnd(T* at, V bits) {
  const T before = *at;
  *at &= bits;
  return before;
}
template <class T, class C, class V>
T atomicCAS(T* at, C expected, V wanted) {
  const T before = *at;
  if (before == expected) *at = wanted;
  return before;
}
template <class T>
T min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T max(T a, T b) {
  return a > b ? a : b;
}
using std::acos;
using std::ceil;
using std::fabs;
using std::fmax;
using std::fmin;
using std::sqrt;
