// Sets of values, a byte each: a lane adds values by stores alone, and eight to sixty-four of them
// are asked for by an instruction of a CPU.
#pragma once

#include "assignment/heuristics/heuristic.cuh"

namespace gls {

constexpr int kNoValue = 16;  // bytes before value 0: of -1, which is added and never asked for

// Which values are in the set that a mask keeps beside a state.
template <class S>
GLS_DEVICE auto held_values(const S& state) {
  return state.template array<unsigned char>(kNoValue);
}

// Makes them the values of `count` variables, variable(k) each.
template <class Team, class States, class Variable>
GLS_DEVICE void hold_values(const Team& team, int sizes, const States& states, int count,
                            Variable variable) {
  team.each(sizes, [&](int value) {
    states.each([&](const auto& state) { held_values(state)[value] = 0; });
  });
  team.sync();
  team.each(count, [&](int k) { states.mark(kNoValue, variable(k)); });
}

}  // namespace gls
