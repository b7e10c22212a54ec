// Choice in one pass by the Gumbel-max trick, softmax of logarithms of weights: each value draws an
// exponential number and divides it by its weight, and the least wins.
//
// Numbers are floats, of operations that IEEE 754 rounds alike on all machines: no logarithm of a
// library is asked, no operation contracted, no number subnormal.
#pragma once

#include "successors/draw.cuh"

namespace gls {

// -ln(1 - x) of the x in (0, 1) that 32 random bits stand for, the middle of its 2^-32.
GLS_DEVICE float exponential(uint32 bits) {
  constexpr int64 kOne = int64(1) << 33;
  constexpr int64 kRoot = 6074000999;  // kOne / sqrt(2)
  int64 rest = kOne - (2 * int64(bits) + 1);
  int halved = 32 - highest_bit(uint64(rest));
  rest <<= halved;
  if (rest <= kRoot) rest <<= 1, ++halved;
  // -ln(rest / kOne) = 2 atanh(s), |s| < 0.172
  const float s = float(kOne - rest) / float(kOne + rest), z = s * s;
  float series = 1.0f / 11;
  series = series * z + 1.0f / 9;
  series = series * z + 1.0f / 7;
  series = series * z + 1.0f / 5;
  series = series * z + 1.0f / 3;
  series = series * z + 1.0f;
  return float(halved) * 0.693147181f + 2.0f * s * series;
}

template <class Heuristic>
struct Softmax {
  GLS_DEVICE Softmax(char*, int) {}

  template <class Team>
  GLS_DEVICE int choose(const Team& team, const Heuristic& heuristic, const State& state,
                        int variable, int count, const Draw& draw) const {
    const auto weight = weights_of(team, heuristic, state, variable, count);
    Philox lots(draw.bits, Purpose::kLots, draw.row);
    Ranked<float> best{3e38f, -1};
#pragma unroll 1
    for (int four = team.lane(); four < (count + 3) / 4; four += Team::kLanes) {
      uint32 numbers[4];
      lots.four(four, numbers);
      GLS_UNROLL
      for (int k = 0; k < 4; ++k) {
        const int value = 4 * four + k;
        const uint32 own = value < count ? weight(value) : 0;
        if (own == 0) continue;
        const Ranked<float> candidate{exponential(numbers[k]) / float(own), value};
        if (candidate < best) best = candidate;
      }
    }
    return int(team.least(best).index);
  }
};

}  // namespace gls
