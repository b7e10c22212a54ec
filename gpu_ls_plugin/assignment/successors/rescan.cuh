// Choice without memory: values are rated again wherever their weights are asked for.
#pragma once

#include "assignment/successors/prefix_sums.cuh"

namespace gls {

template <class Heuristic>
struct Rescan {
  GLS_DEVICE explicit Rescan(char*) {}

  // A value with a probability in proportion to its weight; -1 where all weights are 0.
  template <class Team>
  GLS_DEVICE int choose(const Team& team, const Heuristic& heuristic, const State& state,
                        int variable, int count, const Draw& draw) const {
    const auto weight = weights_of(team, heuristic, state, variable, count);
    return drawn_value<WeightBits<Heuristic>::kValue>(team, count, draw, weight, weight);
  }
};

}  // namespace gls
