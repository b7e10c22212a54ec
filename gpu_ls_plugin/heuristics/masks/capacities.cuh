// Values with a capacity each, of which variables demand something.
#pragma once

#include "heuristics/heuristic.cuh"

namespace gls {

struct Capacities {
  const int64* capacities;
  int sizes;                            // values of a variable, at most
  const int* demands;                   // of each variable, or of each for each value
  int64 variable_stride, value_stride;  // how far demands are apart

  GLS_DEVICE explicit Capacities(const uint64* words)
      : capacities(address<const int64>(words[0])),
        sizes(int(words[1])),
        demands(address<const int>(words[2])),
        variable_stride(int64(words[3])),
        value_stride(int64(words[4])) {}

  GLS_DEVICE static int64* loads(const State& state) {
    return reinterpret_cast<int64*>(state.kept);
  }
  GLS_DEVICE int demand(int variable, int value) const {
    return demands[variable * variable_stride + value * value_stride];
  }
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const State& state) const {
    team.each(sizes, [&](int value) { loads(state)[value] = 0; });
    team.sync();
    team.each(state.m, [&](int variable) {
      const int value = state.values[variable];
      if (value >= 0) add(team, &loads(state)[value], demand(variable, value));
    });
  }
  GLS_DEVICE bool allows(const State& state, int variable, int value) const {
    return loads(state)[value] + demand(variable, value) <= capacities[value];
  }
  GLS_DEVICE void assign(const State& state, int variable, int value) const {
    loads(state)[value] += demand(variable, value);
  }
};

}  // namespace gls
