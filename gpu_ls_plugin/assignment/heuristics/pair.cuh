// Two functors as one: what both are made of, and where the second keeps what it keeps.
#pragma once

#include "assignment/heuristics/heuristic.cuh"
#include "backends/include/conditional.cuh"

namespace gls {

// Behind it are the words of the first one, then those of the second.
struct FunctorPairData {
  int64 second;         // where the second one's begin, in words from here
  int64 kept_by_first;  // bytes of a state
};

template <class First, class Second>
struct FunctorPair {
  const First first;
  const Second second;
  const int64 kept_by_first;

  GLS_DEVICE explicit FunctorPair(const uint64* words)
      : first(words_behind<FunctorPairData>(words)),
        second(words + parameters_of<FunctorPairData>(words).second),
        kept_by_first(parameters_of<FunctorPairData>(words).kept_by_first) {}

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
using AggregateIf = Conditional<aggregates, Aggregate, NoAggregate>;

}  // namespace gls
