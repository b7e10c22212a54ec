// No two variables may have the same value.
#pragma once

#include "assignment/heuristics/masks/value_set.cuh"

namespace gls {

struct DistinctData {
  int64 sizes;  // the most values of a variable
};

struct Distinct {
  int sizes;  // the most values of a variable

  GLS_DEVICE explicit Distinct(const uint64* words)
      : sizes(int(parameters_of<DistinctData>(words).sizes)) {}

  template <class Team, class States>
  GLS_DEVICE void begin(const Team& team, const States& states) const {
    hold_values(team, sizes, states, states.m, [](int variable) { return variable; });
  }
  template <class S>
  GLS_DEVICE bool allows(const S& state, int, int value) const {
    return !held_values(state)[value];
  }
  template <class S>
  GLS_DEVICE void assign(const S& state, int, int value) const {
    held_values(state)[value] = 1;
  }
};

}  // namespace gls
