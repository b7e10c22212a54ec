// Teams of threads. The code of a part runs in parallel only through the functions of its team.
//
// A team works on one item, such as a tour, and divides ranges of indices among its lanes. On the
// GPU it is a warp or a block. On the CPU it is a thread with a plain loop, which the compiler
// vectorises. All teams return the same result: reductions use total orders, and the order of
// additions does not depend on the number of lanes.
#pragma once

#ifdef __CUDACC__
#define GLS_DEVICE __device__ __forceinline__
#define GLS_OUT_OF_LINE __device__ __noinline__
#define GLS_RARE GLS_OUT_OF_LINE
#define GLS_UNROLL _Pragma("unroll")
#else
#include <cmath>
#include <cstring>
#ifndef GLS_DEVICE  // tests define it as `inline`, which halves the compile time
#define GLS_DEVICE inline __attribute__((always_inline))
#endif
#define GLS_OUT_OF_LINE __attribute__((noinline))
#define GLS_RARE __attribute__((noinline, cold))  // compiled for size
#ifdef __clang__
#define GLS_UNROLL _Pragma("unroll")
#else
#define GLS_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

namespace gls {

using int64 = long long;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long long;

#ifdef __CUDACC__
constexpr bool kOnDevice = true;
#else
constexpr bool kOnDevice = false;
#endif

// A value with an index that breaks ties: the smaller index wins.
template <class Value>
struct Ranked {
  Value value;
  int64 index;

  GLS_DEVICE bool operator<(const Ranked& other) const {
    return value < other.value || (value == other.value && index < other.index);
  }
};

// Maps floats to unsigned integers of the same order.
GLS_DEVICE uint32 ordered_bits(float value) {
  const uint32 bits = *reinterpret_cast<const uint32*>(&value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

constexpr int kRankedBytes = 16;  // size of a Ranked in bytes
static_assert(sizeof(Ranked<int>) == kRankedBytes && sizeof(Ranked<int64>) == kRankedBytes &&
                  sizeof(Ranked<double>) == kRankedBytes,
              "Python reserves kRankedBytes for a Ranked of any type");

// Number of interleaved partial sums, for all teams.
constexpr int kPartialSums = 32;

// Adds to a number that other teams may change at the same time; returns its former value.
GLS_DEVICE uint32 fetch_add(uint32* number, uint32 more) {
#ifdef __CUDACC__
  return atomicAdd(number, more);
#else
  return __atomic_fetch_add(number, more, __ATOMIC_RELAXED);
#endif
}

GLS_DEVICE void add(uint32* number, uint32 more) { fetch_add(number, more); }
GLS_DEVICE void add(int64* number, int64 more) {
#ifdef __CUDACC__
  atomicAdd(reinterpret_cast<uint64*>(number), uint64(more));
#else
  __atomic_fetch_add(number, more, __ATOMIC_RELAXED);
#endif
}

// Adds to a number that only this team changes.
template <class Team, class Number, class More>
GLS_DEVICE void add(const Team&, Number* number, More more) {
  if constexpr (Team::kLanes == 1) {
    *number += more;
  } else {
    add(number, Number(more));
  }
}

// Functions for numbers that several teams lower at the same time: `read` returns such a number;
// `lower` replaces it with `to` if `to` is less.
template <class T>
GLS_DEVICE T read(const T* number) {
#ifdef __CUDACC__
  return *static_cast<const volatile T*>(number);
#else
  T value;
  __atomic_load(number, &value, __ATOMIC_RELAXED);
  return value;
#endif
}
#ifdef __CUDACC__
GLS_DEVICE void lower(int* number, int to) { atomicMin(number, to); }
GLS_DEVICE void lower(int64* number, int64 to) { atomicMin(number, to); }
GLS_DEVICE void lower(double* number, double to) {
  auto* const bits = reinterpret_cast<uint64*>(number);
  for (uint64 old = *bits; to < __longlong_as_double(old);) {
    const uint64 seen = atomicCAS(bits, old, __double_as_longlong(to));
    if (seen == old) return;
    old = seen;
  }
}
#else
template <class T>
void lower(T* number, T to) {
  T old = read(number);
  while (to < old &&
         !__atomic_compare_exchange(number, &old, &to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}
#endif

// The place of a lane's first item among the items of its team, and the total number of items.
struct Compacted {
  int place, total;
};

// The joined values of the lanes before a lane, and of all lanes.
template <class T>
struct Scanned {
  T before, all;
};

GLS_DEVICE int bits_in(uint32 word) {
#ifdef __CUDACC__
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

// The upper half of the product.
GLS_DEVICE uint32 multiply_high(uint32 a, uint32 b) {
#ifdef __CUDACC__
  return __umulhi(a, b);
#else
  return uint32((uint64(a) * b) >> 32);
#endif
}

// The number of the lowest bit that is set.
GLS_DEVICE int lowest_bit(uint32 word) {
#ifdef __CUDACC__
  return __ffs(word) - 1;
#else
  return __builtin_ctz(word);
#endif
}

GLS_DEVICE int lowest_bit(uint64 word) {
#ifdef __CUDACC__
  return __ffsll(int64(word)) - 1;
#else
  return __builtin_ctzll(word);
#endif
}

// The number of the highest bit that is set.
GLS_DEVICE int highest_bit(uint64 word) {
#ifdef __CUDACC__
  return 63 - __clzll(int64(word));
#else
  return 63 - __builtin_clzll(word);
#endif
}

constexpr int kMostNew = 16;  // maximum number of values that `append_new` takes

// To cut off a launch, the host sets the number of the launch's next item to this value. Since
// threads may still increase that number, a launch is cut off if the number is at least this value.
constexpr int kCut = 0x7fff0000;

// One thread that works alone: on the CPU, or on a GPU with one tour per thread.
struct Host {
  using Squad = Host;  // see Block
  static constexpr int kLanes = 1;
  static constexpr int kThreads = 1;
  static constexpr int kTeams = 1;
  static constexpr int kBlocks = 1;  // see Cluster

  // Whether time is up: long loops then return, and leave a valid tour. On a GPU it is always
  // false, since launches are short.
#ifdef __CUDACC__
  GLS_DEVICE static bool cut() { return false; }
#else
  const int* next = nullptr;  // the next item of the launch
  bool cut() const { return next != nullptr && __atomic_load_n(next, __ATOMIC_RELAXED) >= kCut; }
#endif

  GLS_DEVICE static int in_block() { return 0; }
  GLS_DEVICE static int lane() { return 0; }
  GLS_DEVICE void sync() const {}

  // See Cluster.
  GLS_DEVICE static int block() { return 0; }
  GLS_DEVICE void sync_blocks() const {}
  template <class T>
  GLS_DEVICE T least_of_blocks(T mine, int) const {
    return mine;
  }

  template <class F>
  GLS_DEVICE void each(int count, F f) const {
    for (int i = 0; i < count; ++i) f(i);
  }

  template <class F>
  GLS_DEVICE void once(F f) const {
    f();
  }

  template <class T, class F>
  GLS_DEVICE T least(int count, T none, F f) const {
    for (int i = 0; i < count; ++i) {
      const T candidate = f(i);
      if (candidate < none) none = candidate;
    }
    return none;
  }

  template <class T, class F>
  GLS_DEVICE T sum(int count, F f) const {
    T partial[kPartialSums] = {};
    for (int i = 0; i < count; ++i) partial[i % kPartialSums] += f(i);
    for (int mask = 16; mask > 0; mask >>= 1) {  // in the order of a warp's butterfly
      for (int i = 0; i < mask; ++i) partial[i] += partial[i + mask];
    }
    return partial[0];
  }

  template <class T>
  GLS_DEVICE T least(T mine) const {
    return mine;
  }

  // The values of all lanes, joined in any order. `none` is the neutral element of join(a, b).
  template <class T, class Join>
  GLS_DEVICE T joined(T mine, T, Join) const {
    return mine;
  }

  // The values of the lanes before this one, joined in their order, and those of all lanes.
  // join(a, b) is associative; `none` is its neutral element.
  template <class T, class Join>
  GLS_DEVICE Scanned<T> scan(T mine, T none, Join) const {
    return {none, mine};
  }

  // The same for the squads of a block; all lanes of a squad pass the value of the squad.
  template <class T, class Join>
  GLS_DEVICE Scanned<T> scan_squads(T squad, T none, Join) const {
    return {none, squad};
  }

  GLS_DEVICE bool any(bool mine) const { return mine; }
  GLS_DEVICE Compacted compact(bool keep) const { return {0, keep}; }
  GLS_DEVICE Compacted stacked(int mine) const { return {0, mine}; }
  GLS_DEVICE int64 total(int64 mine) const { return mine; }
  GLS_DEVICE uint32 reserve(uint32* number, int count) const { return fetch_add(number, count); }

  // Calls put(rank, bit) for each bit set in the words of the lanes, in order; returns the number
  // of bits set.
  template <class F>
  GLS_DEVICE int set_bits(uint32 word, F put) const {
    int rank = 0;
    for (; word != 0; word &= word - 1) put(rank++, lowest_bit(word));
    return rank;
  }

  // Takes each number from 0 to `count` - 1 (at most 63), in order, unless it conflicts with a
  // number taken before. Bit j of row(i) says that i conflicts with the smaller number j. Returns
  // the set of taken numbers as bits.
  template <class F>
  GLS_DEVICE uint64 first_fit(int count, F row) const {
    uint64 taken = 0;
    for (int i = 0; i < count; ++i) taken |= uint64((row(i) & taken) == 0) << i;
    return taken;
  }

  GLS_DEVICE bool set_bit(uint32* words, int bit) const {
    const uint32 mask = 1u << (bit & 31), before = words[bit >> 5];
    words[bit >> 5] = before | mask;
    return !(before & mask);
  }
  GLS_DEVICE void clear_bit(uint32* words, int bit) const {
    words[bit >> 5] &= ~(1u << (bit & 31));
  }

  // Calls put(rank, value), in order, for each of `count` values whose bit in `words` is clear.
  // Sets these bits and returns their number. `count` is at most kMostNew, and kMostNew values are
  // readable.
  template <class F>
  GLS_DEVICE int append_new(uint32* words, const int* values, int count, F put) const {
    int total = 0;
    for (int i = 0; i < count; ++i) {
      if (set_bit(words, values[i])) put(total++, values[i]);
    }
    return total;
  }
};

#ifdef __CUDACC__

constexpr unsigned kAllLanes = 0xffffffffu;

// Attribute of a kernel whose blocks form clusters. Older devices lack clusters; the kernel only
// compiles for them.
#if __CUDA_ARCH__ >= 900
#define GLS_IN_CLUSTERS(...) __cluster_dims__(__VA_ARGS__, 1, 1)
#else
#define GLS_IN_CLUSTERS(...)
#endif

namespace warp {

// Applies a shuffle of 32-bit words to a trivially copyable value.
template <class T, class Shuffle>
GLS_DEVICE T by_words(T value, Shuffle shuffle) {
  static_assert(sizeof(T) % 4 == 0, "shuffles move 32-bit words");
  union Words {
    T value;
    int word[sizeof(T) / 4];
    GLS_DEVICE Words() {}
  } words;
  words.value = value;
#pragma unroll
  for (int w = 0; w < int(sizeof(T) / 4); ++w) words.word[w] = shuffle(words.word[w]);
  return words.value;
}

// The value of the lane whose number is this lane's number XOR `mask`.
template <class T>
GLS_DEVICE T shuffle_xor(T value, int mask) {
  return by_words(value, [=](int word) { return __shfl_xor_sync(kAllLanes, word, mask); });
}

// The value of the lane with this number, modulo 32.
template <class T>
GLS_DEVICE T shuffle(T value, int lane) {
  return by_words(value, [=](int word) { return __shfl_sync(kAllLanes, word, lane & 31); });
}

// See the members of the teams with the same names.
GLS_DEVICE bool set_bit(uint32* words, int bit) {
  const uint32 mask = 1u << (bit & 31);
  return !(atomicOr(&words[bit >> 5], mask) & mask);
}
GLS_DEVICE void clear_bit(uint32* words, int bit) {
  atomicAnd(&words[bit >> 5], ~(1u << (bit & 31)));
}

// The number of lanes in a mask that come before this one.
GLS_DEVICE int rank_in(unsigned mask) { return __popc(mask & ((1u << (threadIdx.x % 32)) - 1)); }

template <class F>
GLS_DEVICE int append_new(uint32* words, const int* values, int count, F put) {
  const int lane = threadIdx.x % 32;
  const int value = lane < count ? values[lane] : 0;
  const uint32 mask = 1u << (value & 31);
  uint32* const word = &words[value >> 5];
  bool fresh = (lane < count) & !(*word & mask);
  // Of equal values, only the first counts. (__match_any_sync is slower.)
  const auto pass_over = [&](int first) {
#pragma unroll
    for (int k = first; k < first + kMostNew / 2; ++k) fresh &= (values[k] != value) | (k >= lane);
  };
  pass_over(0);
  if (count > kMostNew / 2) pass_over(kMostNew / 2);
  const unsigned chosen = __ballot_sync(kAllLanes, fresh);
  if (fresh) {
    atomicOr(word, mask);
    put(rank_in(chosen), value);
  }
  return __popc(chosen);
}

}  // namespace warp

// The smallest value of the lanes of a warp. For some types, there are faster overloads.
template <class T>
GLS_DEVICE T least_in_warp(T mine) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) {
    const T other = warp::shuffle_xor(mine, mask);
    if (other < mine) mine = other;
  }
  return mine;
}

// A single instruction since sm_80.
GLS_DEVICE uint32 least_in_warp(uint32 mine) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(kAllLanes, mine);
#else
  return least_in_warp<uint32>(mine);
#endif
}

// The 32 lanes of a warp. A block has `Warps` warps, which are independent of each other.
template <int Warps>
struct Warp {
  using Squad = Warp;  // see Block
  static constexpr int kLanes = 32;
  static constexpr int kThreads = 32 * Warps;
  static constexpr int kTeams = Warps;

  GLS_DEVICE static bool cut() { return false; }
  GLS_DEVICE static int in_block() { return threadIdx.x / 32; }
  GLS_DEVICE static int lane() { return threadIdx.x % 32; }
  GLS_DEVICE void sync() const { __syncwarp(); }

  // Calls f(i) for each i in [0, count), in any order.
  template <class F>
  GLS_DEVICE void each(int count, F f) const {
#pragma unroll 1  // most ranges are short, and short code stays in the cache
    for (int i = lane(); i < count; i += 32) f(i);
  }

  // One lane calls f(); the others wait and see its writes.
  template <class F>
  GLS_DEVICE void once(F f) const {
    if (lane() == 0) f();
    __syncwarp();
  }

  // The smallest of `none` and f(i) for i in [0, count); all lanes receive it.
  template <class T, class F>
  GLS_DEVICE T least(int count, T none, F f) const {
    for (int i = lane(); i < count; i += 32) {
      const T candidate = f(i);
      if (candidate < none) none = candidate;
    }
    return least_in_warp(none);
  }

  template <class T, class F>
  GLS_DEVICE T sum(int count, F f) const {
    T total = 0;
    for (int i = lane(); i < count; i += kPartialSums) total += f(i);
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) total += warp::shuffle_xor(total, mask);
    return total;
  }

  // Whether `mine` is true for any lane.
  GLS_DEVICE bool any(bool mine) const { return __any_sync(kAllLanes, mine); }

  // The smallest value of all lanes.
  template <class T>
  GLS_DEVICE T least(T mine) const {
    return least_in_warp(mine);
  }

  // The place of this lane among the lanes for which `keep` is true, and the number of these lanes.
  GLS_DEVICE Compacted compact(bool keep) const {
    const unsigned mask = __ballot_sync(kAllLanes, keep);
    return {warp::rank_in(mask), __popc(mask)};
  }
  // The same for two items per lane, whose places are adjacent.
  GLS_DEVICE Compacted compact(bool keep, bool other) const {
    const unsigned mask = __ballot_sync(kAllLanes, keep), more = __ballot_sync(kAllLanes, other);
    return {warp::rank_in(mask) + warp::rank_in(more), __popc(mask) + __popc(more)};
  }

  // See Host.
  template <class T, class Join>
  GLS_DEVICE T joined(T mine, T, Join join) const {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) mine = join(mine, warp::shuffle_xor(mine, mask));
    return mine;
  }

  // See Host.
  template <class T, class Join>
  GLS_DEVICE Scanned<T> scan(T mine, T none, Join join) const {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const T other = warp::shuffle(mine, lane() - step);
      if (lane() >= step) mine = join(other, mine);
    }
    const T before = warp::shuffle(mine, lane() - 1);
    return {lane() > 0 ? before : none, warp::shuffle(mine, 31)};
  }
  template <class T, class Join>
  GLS_DEVICE Scanned<T> scan_squads(T squad, T none, Join) const {
    return {none, squad};
  }

  // The sum over the lanes before this one, and over all lanes.
  GLS_DEVICE Compacted stacked(int mine) const {
    int sum = mine;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(kAllLanes, sum, step);
      if (lane() >= step) sum += other;
    }
    return {sum - mine, __shfl_sync(kAllLanes, sum, 31)};
  }

  // The sum over all lanes.
  GLS_DEVICE int64 total(int64 mine) const {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) mine += warp::shuffle_xor(mine, mask);
    return mine;
  }

  // Adds `count`, once for all lanes, to a number that other teams may change; returns its former
  // value.
  GLS_DEVICE uint32 reserve(uint32* number, int count) const {
    uint32 before = 0;
    if (lane() == 0 && count > 0) before = fetch_add(number, uint32(count));
    return __shfl_sync(kAllLanes, before, 0);
  }

  // See Host. Each lane lists the bits of its word; then consecutive lanes put consecutive ranks.
  template <class F>
  GLS_DEVICE int set_bits(uint32 word, F put) const {
    __shared__ uint16 bits[Warps][32 * 32];
    uint16* const found = bits[in_block()];
    const auto [place, count] = stacked(__popc(word));
    for (uint16* next = found + place; word != 0; word &= word - 1) {
      *next++ = uint16(32 * lane() + lowest_bit(word));
    }
    __syncwarp();
    each(count, [&](int rank) { put(rank, int(found[rank])); });
    __syncwarp();  // the next call overwrites `bits`
    return count;
  }

  // See Host. A number is open until it is taken or dropped. Each round takes the open numbers that
  // conflict with no smaller open number, and then drops those that conflict with a taken one.
  template <class F>
  GLS_DEVICE uint64 first_fit(int count, F row) const {
    const int here = lane(), later = here + 32;
    const uint64 low = here < count ? row(here) : 0, high = later < count ? row(later) : 0;
    uint64 taken = 0, open = count < 64 ? (uint64(1) << count) - 1 : ~uint64(0);
    while (open != 0) {
      const auto ballot = [&](uint64 bits) {
        return __ballot_sync(kAllLanes, (low & bits) == 0) |
               uint64(__ballot_sync(kAllLanes, (high & bits) == 0)) << 32;
      };
      taken |= open & ballot(open);
      open &= ballot(taken) & ~taken;
    }
    return taken;
  }

  // Sets a bit in an array of words; returns whether it was clear.
  GLS_DEVICE bool set_bit(uint32* words, int bit) const { return warp::set_bit(words, bit); }
  GLS_DEVICE void clear_bit(uint32* words, int bit) const { warp::clear_bit(words, bit); }

  // See Host.
  template <class F>
  GLS_DEVICE int append_new(uint32* words, const int* values, int count, F put) const {
    const int appended = warp::append_new(words, values, count, put);
    __syncwarp();
    return appended;
  }
};

// A whole block. Reductions use `Threads / 32` slots of static shared memory.
template <int Threads>
struct Block {
  using Squad = Warp<Threads / 32>;  // teams that share the block's work
  static constexpr int kLanes = Threads;
  static constexpr int kThreads = Threads;
  static constexpr int kTeams = 1;
  static constexpr int kBlocks = 1;  // see Cluster

  GLS_DEVICE static bool cut() { return false; }
  GLS_DEVICE static int in_block() { return 0; }
  GLS_DEVICE static int lane() { return threadIdx.x; }
  GLS_DEVICE void sync() const { __syncthreads(); }

  // See Cluster.
  GLS_DEVICE static int block() { return 0; }
  GLS_DEVICE void sync_blocks() const { __syncthreads(); }
  template <class T>
  GLS_DEVICE T least_of_blocks(T mine, int) const {
    return least(mine);
  }

  template <class F>
  GLS_DEVICE void each(int count, F f) const {
#pragma unroll 1
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
    mine = least_in_warp(mine);
    __syncthreads();  // the last reduction may still read the slots
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = mine;
    __syncthreads();
    const int lane = threadIdx.x % 32;
    return least_in_warp(slots[lane < Threads / 32 ? lane : 0]);
  }

  template <class T, class F>
  GLS_DEVICE T least(int count, T none, F f) const {
    for (int i = threadIdx.x; i < count; i += Threads) {
      const T candidate = f(i);
      if (candidate < none) none = candidate;
    }
    return least(none);
  }

  // The first warp adds up real numbers, so that sums do not depend on the number of warps.
  template <class T, class F>
  GLS_DEVICE T sum(int count, F f) const {
    if constexpr (T(1) / T(2) == T(0)) {  // whole numbers
      T mine = 0;
      each(count, [&](int i) { mine += f(i); });
      return T(total(int64(mine)));
    }
    __shared__ __align__(16) char storage[sizeof(T)];
    T& total = *reinterpret_cast<T*>(storage);
    __syncthreads();  // the last call may still read the sum
    if (threadIdx.x < 32) {
      const T mine = Warp<1>{}.template sum<T>(count, f);
      if (threadIdx.x == 0) total = mine;
    }
    __syncthreads();
    return total;
  }

  GLS_DEVICE bool any(bool mine) const { return __syncthreads_or(mine); }

  // See Host.
  template <class T, class Join>
  GLS_DEVICE T joined(T mine, T none, Join join) const {
    return scan_squads(Warp<1>{}.joined(mine, none, join), none, join).all;
  }

  // See Host.
  template <class T, class Join>
  GLS_DEVICE Scanned<T> scan(T mine, T none, Join join) const {
    const Scanned<T> own = Warp<1>{}.scan(mine, none, join);
    const Scanned<T> squads = scan_squads(own.all, none, join);
    return {join(squads.before, own.before), squads.all};
  }
  template <class T, class Join>
  GLS_DEVICE Scanned<T> scan_squads(T squad, T none, Join join) const {
    __shared__ __align__(16) char storage[Threads / 32 * sizeof(T)];
    T* const slots = reinterpret_cast<T*>(storage);
    __syncthreads();  // the last scan may still read the slots
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = squad;
    __syncthreads();
    T before = none, all = none;
#pragma unroll(Threads / 32 <= 8 ? Threads / 32 : 1)
    for (int w = 0; w < Threads / 32; ++w) {
      if (w == int(threadIdx.x) / 32) before = all;
      all = join(all, slots[w]);
    }
    return {before, all};
  }

  GLS_DEVICE int64 total(int64 mine) const {
    __shared__ int64 sums[Threads / 32];
    mine = Warp<1>{}.total(mine);
    __syncthreads();  // the last call may still read the sums
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
    __syncthreads();
    const int lane = threadIdx.x % 32;
    return Warp<1>{}.total(lane < Threads / 32 ? sums[lane] : 0);
  }

  // Callers must put a barrier between two calls.
  GLS_DEVICE Compacted compact(bool keep, bool other = false) const {
    __shared__ int kept[Threads / 32];
    const Compacted own = Warp<1>{}.compact(keep, other);
    if (threadIdx.x % 32 == 0) kept[threadIdx.x / 32] = own.total;
    __syncthreads();
    int before = own.place, total = 0;
#pragma unroll
    for (int w = 0; w < Threads / 32; ++w) {
      before += w < threadIdx.x / 32 ? kept[w] : 0;
      total += kept[w];
    }
    return {before, total};
  }

  GLS_DEVICE bool set_bit(uint32* words, int bit) const { return warp::set_bit(words, bit); }
  GLS_DEVICE void clear_bit(uint32* words, int bit) const { warp::clear_bit(words, bit); }

  template <class F>
  GLS_DEVICE int append_new(uint32* words, const int* values, int count, F put) const {
    __shared__ int appended;
    if (threadIdx.x < 32) {
      const int total = warp::append_new(words, values, count, put);
      if (threadIdx.x == 0) appended = total;
    }
    __syncthreads();
    return appended;
  }
};

// The blocks of a cluster (sm_90 and later), which work on one item. Each block has a copy of the
// item's data and makes the same changes to it: all functions of a Block work within one block. The
// blocks meet at barriers, and exchange values through each other's shared memory.
template <int Threads, int Blocks>
struct Cluster : Block<Threads> {
  static constexpr int kBlocks = Blocks;

  GLS_DEVICE static int block() { return blockIdx.x % Blocks; }

  // A barrier of all lanes of all blocks. One is needed before the first exchange.
  GLS_DEVICE void sync_blocks() const {
#if __CUDA_ARCH__ >= 900
    __syncwarp();  // the barrier is for whole warps
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
  }

  // The smallest value of all lanes of all blocks. `turn` is 0 and 1 in alternate calls, so that
  // one barrier is enough: while a block still reads the slots of a turn, others write to those of
  // the next one.
  template <class T>
  GLS_DEVICE T least_of_blocks(T mine, int turn) const {
    constexpr int kWarps = Threads / 32, kSlots = kWarps * Blocks;
    static_assert(sizeof(T) == 16 && Blocks <= 32, "a lane writes 16 bytes to one of the blocks");
    __shared__ __align__(16) char storage[2 * kSlots * sizeof(T)];
    T* const slots = reinterpret_cast<T*>(storage) + turn * kSlots;
    const int lane = threadIdx.x % 32, own = block() * kWarps + threadIdx.x / 32;
    mine = least_in_warp(mine);
    if (lane < Blocks) put_into_block(lane, &slots[own], mine);
    sync_blocks();
    T least = slots[lane % kSlots];
    for (int i = lane + 32; i < kSlots; i += 32) {
      if (slots[i] < least) least = slots[i];
    }
    return least_in_warp(least);
  }

 private:
  // Writes a value to the place that `slot` has in the shared memory of another block.
  template <class T>
  GLS_DEVICE static void put_into_block(int rank, T* slot, const T& value) {
#if __CUDA_ARCH__ >= 900
    const uint32 here = uint32(__cvta_generic_to_shared(slot));
    const uint32* const words = reinterpret_cast<const uint32*>(&value);
    uint32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(there), "r"(words[0]),
                 "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
#endif
  }
};

// One tour per thread of a block.
template <int Threads>
struct Thread : Host {
  static constexpr int kThreads = Threads;
  static constexpr int kTeams = Threads;

  GLS_DEVICE static int in_block() { return threadIdx.x; }
};

#endif

// Calls use(i, load(i)) for each i in [0, count), in any order. Several loads are in flight at
// once. To avoid branches between them, lanes without an item load a value that they do not use.
template <class Team, class Load, class Use>
GLS_DEVICE void each_ahead(const Team& team, int count, Load load, Use use) {
  constexpr int kAhead = Team::kLanes > 1 ? 4 : 1;
  decltype(load(0)) loaded[kAhead];
#pragma unroll 1
  for (int base = team.lane(); base < count; base += kAhead * Team::kLanes) {
    GLS_UNROLL
    for (int k = 0; k < kAhead; ++k) {
      const int i = base + k * Team::kLanes;
      loaded[k] = load(i < count ? i : base);
    }
    GLS_UNROLL
    for (int k = 0; k < kAhead; ++k) {
      const int i = base + k * Team::kLanes;
      if (i < count) use(i, loaded[k]);
    }
  }
}

// A variable that all lanes of a team share; there is one for each type T.
template <class T, class Team>
GLS_DEVICE T& shared_slot(const Team& team) {
#ifdef __CUDACC__
  __shared__ __align__(16) char slots[Team::kTeams * sizeof(T)];
  return reinterpret_cast<T*>(slots)[team.in_block()];
#else
  static thread_local T slot;
  return slot;
#endif
}

}  // namespace gls
