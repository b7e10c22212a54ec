// Sets of values, a bit each.
#pragma once

#include "heuristics/heuristic.cuh"

namespace gls {

// The set that a mask keeps beside a state.
struct ValueSet {
  uint32* words;

  GLS_DEVICE explicit ValueSet(const State& state) : words(reinterpret_cast<uint32*>(state.kept)) {}

  GLS_DEVICE bool has(int value) const { return words[value >> 5] >> (value & 31) & 1; }
  GLS_DEVICE void add(int value) const { words[value >> 5] |= 1u << (value & 31); }

  // Makes it the values of `count` variables, variable(k) each; those without one are passed over.
  template <class Team, class Variable>
  GLS_DEVICE void hold(const Team& team, int sizes, const State& state, int count,
                       Variable variable) const {
    team.each((sizes + 31) / 32, [&](int word) { words[word] = 0; });
    team.sync();
    team.each(count, [&](int k) {
      const int value = state.values[variable(k)];
      if (value >= 0) team.set_bit(words, value);
    });
  }
};

}  // namespace gls
