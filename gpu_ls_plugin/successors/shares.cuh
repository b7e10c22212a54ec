// Shares of a team's lanes in the values of a variable.
#pragma once

#include "include/team.cuh"

namespace gls {

// Lanes that take turns in a range of their own, so that they read what memory hands out at once.
// Ranges follow each other in the order of the values.
template <class Team>
constexpr int kTogether = Team::kLanes > 1 ? 4 : 1;

// Values that a lane has on their way at a time; the compiler of a CPU makes vectors itself.
template <class Team>
constexpr int kAhead = Team::kLanes > 1 ? 8 : 1;

// Every kStep-th value of [from, to).
template <int kStep, int kAhead>
struct Share {
  int from, to;

  // use(value, load(value)) for each, in order.
  template <class Load, class Use>
  GLS_DEVICE void each(Load load, Use use) const {
    int value = from;
    if constexpr (kAhead > 1) {
#pragma unroll 1
      for (; value + (kAhead - 1) * kStep < to; value += kAhead * kStep) {
        decltype(load(0)) loaded[kAhead];
        GLS_UNROLL
        for (int k = 0; k < kAhead; ++k) loaded[k] = load(value + k * kStep);
        GLS_UNROLL
        for (int k = 0; k < kAhead; ++k) use(value + k * kStep, loaded[k]);
      }
    }
#pragma unroll 1
    for (; value < to; value += kStep) use(value, load(value));
  }

  template <class Weight>
  GLS_DEVICE uint64 sum(const Weight& weight) const {
    uint64 sum = 0;
    each(weight, [&](int, uint32 own) { sum += own; });
    return sum;
  }
};

// Part `number` of `parts` of [from, to).
template <int kParts>
GLS_DEVICE Share<1, 1> part_of(int from, int to, int number) {
  const int size = (to - from + kParts - 1) / kParts;
  const int64 begin = from + int64(number) * size, end = begin + size;
  return {int(begin < to ? begin : to), int(end < to ? end : to)};
}

// What a lane shares of [0, count) with the lanes next to it.
template <class Team>
GLS_DEVICE Share<kTogether<Team>, kAhead<Team>> own_share(const Team& team, int count) {
  constexpr int kLanes = kTogether<Team>;
  const auto [from, to] = part_of<Team::kLanes / kLanes>(0, count, team.lane() / kLanes);
  return {from + team.lane() % kLanes, to};
}

}  // namespace gls
