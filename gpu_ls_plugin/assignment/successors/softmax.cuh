// Choice in one pass by the Gumbel-max trick, softmax of logarithms of weights: each value draws an
// exponential number and divides it by its weight, and the least wins.
//
// Numbers are floats, of operations that IEEE 754 rounds alike on all machines: no logarithm of a
// library is asked, no operation contracted, no number subnormal.
#pragma once

#include "assignment/successors/draw.cuh"

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
  GLS_DEVICE explicit Softmax(char*) {}

  template <class Team>
  GLS_DEVICE int choose(const Team& team, const Heuristic& heuristic, const State& state,
                        int variable, int count, const Draw& draw) const {
    const typename Team::Squad squad{};  // whose lanes know the best that they have
    const auto weight = weights_of(team, heuristic, state, variable, count);
    Philox lots(draw.bits, Purpose::kLots, draw.row);
    Ranked<float> best{3e38f, -1};
#pragma unroll 1
    for (int base = 0; base < count; base += 4 * Team::kLanes) {
      const int four = base / 4 + team.lane();
      uint32 numbers[4], weights[4];
      lots.four<Philox::kRounds>(four, numbers);
      bool near = false;
      GLS_UNROLL
      for (int k = 0; k < 4; ++k) {
        const int value = 4 * four + k;
        weights[k] = value < count ? weight(value) : 0;
        near |= may_win(numbers[k], weights[k], best);
      }
      if (!squad.any(near)) continue;
#pragma unroll 1
      for (int k = 0; k < 4; ++k) {
        if (may_win(numbers[0], weights[0], best)) {
          const Ranked<float> lot{exponential(numbers[0]) / float(weights[0]), 4 * four + k};
          if (lot < best) best = lot;
        }
        best = squad.least(best);
        GLS_UNROLL
        for (int i = 0; i < 3; ++i) numbers[i] = numbers[i + 1], weights[i] = weights[i + 1];
      }
    }
    return int(team.least(best).index);
  }

 private:
  // Whether a lot may be less than the best: -ln(1 - x) is more than x, and roundings are far below
  // the 1e-5 that is allowed for. Of most values no logarithm has to be known. Never of a weight 0.
  GLS_DEVICE static bool may_win(uint32 bits, uint32 weight, const Ranked<float>& best) {
    constexpr float kScale = 4294967296.0f * 1.00001f;
    return float(bits) < best.value * kScale * float(weight);
  }
};

}  // namespace gls
