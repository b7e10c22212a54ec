// Chooses a value with prefix sums of weights: the first value whose prefix sum, including the
// value's weight, is greater than the drawn number.
//
// Each lane sums up its share of the values. The warp whose sum holds the drawn number continues
// alone: its lanes find the share that holds the number, then divide that range among themselves
// until one value is left.
#pragma once

#include "assignment/successors/shares.cuh"

namespace gls {

// The 64 random bits that choose one variable's value.
struct Draw {
  uint64 bits;

  // A uniform integer in [0, bound); the bias is below bound / 2^64.
  GLS_DEVICE uint64 below(uint64 bound) const {
#ifdef __CUDACC__
    return __umul64hi(bits, bound);
#else
    return uint64((static_cast<unsigned __int128>(bits) * bound) >> 64);
#endif
  }
};

// Returns, on every lane, the value `mine` of the one lane whose `found` is true. Callers put a
// barrier between two calls.
template <class Team, class T>
GLS_DEVICE T agreed(const Team& team, bool found, const T& mine) {
  T& slot = shared_slot<T>(team);
  if (found) slot = mine;
  team.sync();
  return slot;
}

// Values [from, to) that contain the chosen one. `left` is the drawn number less the weights of all
// values before `from`.
struct Range {
  uint64 left;
  int from, to;
};

GLS_DEVICE uint64 plus(uint64 a, uint64 b) { return a + b; }

// Finds the chosen value of a range with one thread, which passes over stretches of kStretch
// values, then over the values of one stretch.
template <class Weight>
GLS_DEVICE int walk(const Weight& weight, Range range) {
  for (uint64 sum; range.to - range.from > kStretch; range.from += kStretch, range.left -= sum) {
    sum = Share<1, 1>{range.from, range.from + kStretch}.sum(weight);
    if (range.left < sum) break;
  }
  uint32 weights[kStretch];
  weigh(weight, range.from, range.to, weights);
  int found = 0;
  for (; weights[found] <= range.left; ++found) range.left -= weights[found];
  return range.from + found;
}

// `drawn_value` for one thread, which keeps sums of shares as the lanes of a team do.
template <int kBits, class First, class Again>
GLS_DEVICE int drawn_alone(int count, Draw draw, const First& first, const Again& again) {
  constexpr int kShares = 64;  // number of shares whose sums a thread keeps
  const int size = (count + kShares * kStretch - 1) / (kShares * kStretch) * kStretch;
  uint64 sums[kShares], all = 0;
  const auto share = [&](int number) {
    const int64 from = int64(number) * size, end = from + size;
    return Share<1, 1>{int(from), int(end < count ? end : count)};
  };
  for (int number = 0; int64(number) * size < count; ++number) {
    sums[number] = share(number).template sum<kBits>(first);
    all += sums[number];
  }
  if (all == 0) return -1;
  uint64 left = draw.below(all);
  int number = 0;
  for (; sums[number] <= left; ++number) left -= sums[number];
  return walk(again, {left, share(number).from, share(number).to});
}

// Finds the chosen value of a range with the lanes of a warp.
template <class Squad, class Weight>
GLS_DEVICE int divide(const Squad& squad, const Weight& weight, Range range) {
#pragma unroll 1
  while (range.to - range.from > 1) {
    const auto mine = part_of<Squad::kLanes, 4>(range.from, range.to, squad.lane());
    const uint64 own = mine.sum(weight);
    const uint64 before = squad.scan(own, uint64(0), plus).before;
    squad.sync();  // every lane has read the previous range
    range = agreed(squad, before <= range.left && range.left - before < own,
                   Range{range.left - before, mine.from, mine.to});
  }
  return range.from;
}

// Chooses a value with a probability proportional to its weight; returns -1 if all weights are 0.
// Weights are below 2^kBits. first(value) returns a weight and is called once for each value. After
// that, again(value) is called for some values and returns the same weight.
template <int kBits, class Team, class First, class Again>
GLS_DEVICE int drawn_value(const Team& team, int count, Draw draw, const First& first,
                           const Again& again) {
  if constexpr (Team::kLanes == 1) {
    return drawn_alone<kBits>(count, draw, first, again);
  } else {
    const typename Team::Squad squad{};
    const auto share = own_share(team, count);
    const uint64 own = share.template sum<kBits>(first), ours = squad.joined(own, uint64(0), plus);
    const Scanned<uint64> sums = team.scan_squads(ours, uint64(0), plus);
    if (sums.all == 0) return -1;
    const uint64 number = draw.below(sums.all);
    constexpr int kLanes = kTogether<Team>;
    const bool is_ours = sums.before <= number && number - sums.before < ours;
    int value = 0;
    if (is_ours) {
      const uint64 left = number - sums.before;
      const uint64 before = squad.scan(own, uint64(0), plus).before;
      const int leader =
          agreed(squad, before <= left && left - before < own, squad.lane() / kLanes * kLanes);
      const Range range =
          agreed(squad, squad.lane() == leader, Range{left - before, share.from, share.to});
      value = divide(squad, again, range);
    }
    return agreed(team, is_ours && squad.lane() == 0, value);
  }
}

}  // namespace gls
