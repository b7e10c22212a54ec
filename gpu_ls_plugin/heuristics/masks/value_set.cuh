// Sets of values, a byte each: a lane adds values by stores alone, and eight to sixty-four of them
// are asked for by an instruction of a CPU.
#pragma once

#include "heuristics/heuristic.cuh"

namespace gls {

// The set that a mask keeps beside a state.
struct ValueSet {
  static constexpr int kNone =
      16;  // bytes before value 0: of -1, which is added and never asked for

  unsigned char* has_value;

  GLS_DEVICE explicit ValueSet(const State& state)
      : has_value(reinterpret_cast<unsigned char*>(state.kept) + kNone) {}

  GLS_DEVICE bool has(int value) const { return has_value[value]; }
  GLS_DEVICE void add(int value) const { has_value[value] = 1; }

  // Makes it the values of `count` variables, variable(k) each.
  template <class Team, class Variable>
  GLS_DEVICE void hold(const Team& team, int sizes, const State& state, int count,
                       Variable variable) const {
    team.each(sizes, [&](int value) { has_value[value] = 0; });
    team.sync();
    team.each(count, [&](int k) { add(state.values[variable(k)]); });
  }
};

}  // namespace gls
