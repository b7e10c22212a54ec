// Choice without memory: lanes sum up the weights of their values, one of them has what is drawn,
// and its values are weighed again, by all lanes.
#pragma once

#include "successors/draw.cuh"

namespace gls {

template <class Heuristic>
struct Rescan {
  GLS_DEVICE Rescan(char*, int) {}

  // A value with a probability in proportion to its weight; -1 where all weights are 0.
  template <class Team>
  GLS_DEVICE int choose(const Team& team, const Heuristic& heuristic, const State& state,
                        int variable, int count, const Draw& draw) const {
    const auto weight = weights_of(team, heuristic, state, variable, count);
    Range range{0, 0, count};
    for (bool first = true; first || range.to - range.from > 1; first = false) {
      Range mine = own_share(team, range);
      uint64 own = 0;
#pragma unroll 1
      for (int value = mine.from; value < mine.to; ++value) own += weight(value);
      const Scanned<uint64> sums =
          team.scan(own, uint64(0), [](uint64 a, uint64 b) { return a + b; });
      if (first) {
        if (sums.all == 0) return -1;
        range.left = draw.below(sums.all);
      }
      if constexpr (Team::kLanes == 1) return walk(weight, range);
      mine.left = range.left - sums.before;
      range = agreed(team, sums.before <= range.left && mine.left < own, mine);
    }
    return range.from;
  }

 private:
  GLS_DEVICE static int walk(const Weights<Heuristic>& weight, const Range& range) {
    int value = range.from;
    for (uint64 left = range.left, own; (own = weight(value)) <= left; ++value) left -= own;
    return value;
  }
};

}  // namespace gls
