// No two variables with the same value.
#pragma once

#include "heuristics/masks/value_set.cuh"

namespace gls {

struct Distinct {
  int sizes;  // values of a variable, at most

  GLS_DEVICE explicit Distinct(const uint64* words) : sizes(int(words[0])) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team, const State& state) const {
    ValueSet(state).hold(team, sizes, state, state.m, [](int variable) { return variable; });
  }
  GLS_DEVICE bool allows(const State& state, int, int value) const {
    return !ValueSet(state).has(value);
  }
  GLS_DEVICE void assign(const State& state, int, int value) const { ValueSet(state).add(value); }
};

}  // namespace gls
