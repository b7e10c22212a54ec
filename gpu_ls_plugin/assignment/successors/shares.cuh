// How the values of a variable are shared among the lanes of a team.
#pragma once

#include "backends/include/conditional.cuh"
#include "backends/include/team.cuh"

namespace gls {

// How many lanes share a range of values and take turns in it, so that they read neighbouring
// memory at the same time. Ranges follow each other in the order of the values. For this number
// and kAhead, see docs/lab/kernels-states-and-sequences.md, "Successors of assignments".
template <class Team>
constexpr int kTogether = Team::kLanes > 1 ? 4 : 1;

// Number of values that a lane loads before it uses them; on a CPU, compilers vectorise without it.
template <class Team>
constexpr int kAhead = Team::kLanes > 1 ? 8 : 1;

// How many weights a CPU thread writes to an array at a time, so that compilers vectorise the loop.
constexpr int kStretch = 64;

// Writes the weights of [from, to), up to kStretch values; returns their number.
template <class Weight>
GLS_DEVICE int weigh(const Weight& weight, int from, int to, uint32* weights) {
  const int count = to - from < kStretch ? to - from : kStretch;
  for (int k = 0; k < count; ++k) weights[k] = weight(from + k);
  return count;
}

// Every kStep-th value of [from, to), loaded kAhead at a time.
template <int kStep, int kAhead>
struct Share {
  int from, to;

  // Calls use(value, load(value)) for each value, in order, and after() after each group of at most
  // kAhead values.
  template <class Load, class Use, class After>
  GLS_DEVICE void each(Load load, Use use, After after) const {
    int value = from;
    if constexpr (kAhead > 1) {
      groups<kAhead>(value, load, use, after);
      groups<kAhead / 2>(value, load, use, [] {});
    }
    groups<1>(value, load, use, [] {});
    after();
  }
  template <class Load, class Use>
  GLS_DEVICE void each(Load load, Use use) const {
    each(load, use, [] {});
  }

  // The sum of weights below 2^kBits. Groups of weights are first added up in 32 bits if they fit.
  template <int kBits = 32, class Weight>
  GLS_DEVICE uint64 sum(const Weight& weight) const {
    uint64 sum = 0;
    if constexpr (kStep == 1 && kAhead == 1) {
      using Some = Conditional<(uint64(kStretch) << kBits > uint64(1) << 32), uint64, uint32>;
      for (int begin = from; begin < to; begin += kStretch) {
        uint32 weights[kStretch];
        const int count = weigh(weight, begin, to, weights);
        Some some = 0;
        for (int k = 0; k < count; ++k) some += weights[k];
        sum += some;
      }
    } else if constexpr (kAhead > 1 && (uint64(kAhead) << kBits) <= uint64(1) << 32) {
      uint32 some = 0;
      each(weight, [&](int, uint32 own) { some += own; }, [&] { sum += some, some = 0; });
    } else {
      each(weight, [&](int, uint32 own) { sum += own; });
    }
    return sum;
  }

 private:
  template <int kGroup, class Load, class Use, class After>
  GLS_DEVICE void groups(int& value, const Load& load, const Use& use, const After& after) const {
#pragma unroll 1
    for (; value + (kGroup - 1) * kStep < to; value += kGroup * kStep) {
      decltype(load(0)) loaded[kGroup];
      GLS_UNROLL
      for (int k = 0; k < kGroup; ++k) loaded[k] = load(value + k * kStep);
      GLS_UNROLL
      for (int k = 0; k < kGroup; ++k) use(value + k * kStep, loaded[k]);
      after();
    }
  }
};

// Part `number` of [from, to), which is cut into kParts equal parts.
template <int kParts, int kAhead = 1>
GLS_DEVICE Share<1, kAhead> part_of(int from, int to, int number) {
  const int size = (to - from + kParts - 1) / kParts;
  const int64 begin = from + int64(number) * size, end = begin + size;
  return {int(begin < to ? begin : to), int(end < to ? end : to)};
}

// A lane's share of the values [0, count).
template <class Team>
GLS_DEVICE Share<kTogether<Team>, kAhead<Team>> own_share(const Team& team, int count) {
  constexpr int kLanes = kTogether<Team>;
  const auto [from, to] = part_of<Team::kLanes / kLanes>(0, count, team.lane() / kLanes);
  return {from + team.lane() % kLanes, to};
}

}  // namespace gls
