// Sets of values with one byte for each value: a lane adds a value with a plain store, and a CPU
// looks up eight to sixty-four values with one instruction.
#pragma once

#include "assignment/heuristics/heuristic.cuh"

namespace gls {

// Number of bytes before the byte of value 0. The last of them belongs to the value -1: it is set
// for variables without a value, and nothing reads it.
constexpr int kNoValue = 16;

// The set that a mask keeps beside a state.
template <class S>
GLS_DEVICE auto held_values(const S& state) {
  return state.template array<unsigned char>(kNoValue);
}

// Fills the set with the values of `count` variables, variable(k) for each k.
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
