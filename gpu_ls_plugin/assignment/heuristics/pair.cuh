// Two functors as one: what both are made of, and where the second keeps what it keeps.
#pragma once

#include "assignment/heuristics/heuristic.cuh"
#include "backends/include/chosen.cuh"

namespace gls {

// Words: where the second one's begin, bytes that the first keeps, then those of both.
template <class First, class Second>
struct FunctorPair {
  const First first;
  const Second second;
  const int64 kept_by_first;

  GLS_DEVICE explicit FunctorPair(const uint64* words)
      : first(words + 2), second(words + words[0]), kept_by_first(int64(words[1])) {}

  // A state as the second one sees it.
  template <class S>
  GLS_DEVICE S behind(const S& state) const {
    return state.behind(kept_by_first);
  }
  template <class Team, class S>
  GLS_DEVICE void begin(const Team& team, const S& state) const {
    first.begin(team, state);
    second.begin(team, behind(state));
  }
  template <class S>
  GLS_DEVICE void assign(const S& state, int variable, int value) const {
    first.assign(state, variable, value);
    second.assign(behind(state), variable, value);
  }
};

// An aggregate of heuristics that are composed, where there is one.
template <class Aggregate, bool aggregates>
using AggregateIf = Chosen<aggregates, Aggregate, NoAggregate>;

}  // namespace gls
