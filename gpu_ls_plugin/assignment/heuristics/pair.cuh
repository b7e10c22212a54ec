// One functor made of two. The second one keeps its data after those of the first.
#pragma once

#include "assignment/heuristics/heuristic.cuh"
#include "backends/include/conditional.cuh"

namespace gls {

// The first words of a `FunctorPair`. The words of the first functor follow, then those of the
// second.
struct FunctorPairData {
  int64 second;         // index of the second functor's first word in the words of the pair
  int64 kept_by_first;  // how many bytes the first functor keeps beside a state
};

template <class First, class Second>
struct FunctorPair {
  static constexpr bool kPrepares = kHasPrepare<First> || kHasPrepare<Second>;
  static constexpr bool kAssignsByTeam = kHasAssignByTeam<First> || kHasAssignByTeam<Second>;

  const First first;
  const Second second;
  const int64 kept_by_first;

  GLS_DEVICE explicit FunctorPair(const uint64* words)
      : first(words_behind<FunctorPairData>(words)),
        second(words + parameters_of<FunctorPairData>(words).second),
        kept_by_first(parameters_of<FunctorPairData>(words).kept_by_first) {}

  // The state as the second functor sees it.
  template <class S>
  GLS_DEVICE S behind(const S& state) const {
    return state.behind(kept_by_first);
  }
  template <class Team, class S>
  GLS_DEVICE void begin(const Team& team, const S& state) const {
    first.begin(team, state);
    second.begin(team, behind(state));
  }
  template <class Team, class S>
  GLS_DEVICE void prepare(const Team& team, const S& state, int variable) const {
    gls::prepare(team, first, state, variable);
    gls::prepare(team, second, behind(state), variable);
  }
  template <class Team>
  GLS_DEVICE void assign_by_team(const Team& team, const State& state, int variable,
                                 int value) const {
    gls::assign_by_team(team, first, state, variable, value);
    gls::assign_by_team(team, second, behind(state), variable, value);
  }
  template <class S>
  GLS_DEVICE void assign(const S& state, int variable, int value) const {
    first.assign(state, variable, value);
    second.assign(behind(state), variable, value);
  }
};

// The aggregate of composed heuristics; `NoAggregate` if they have none.
template <class Aggregate, bool aggregates>
using AggregateIf = Conditional<aggregates, Aggregate, NoAggregate>;

}  // namespace gls
