// What the functor of a heuristic is asked (Köster et al.: local heuristics).
//
// clang-format off
//   struct MyHeuristic {
//     using Rating = int64;  // any type that can be made of nothing; Python says its rating_bytes
//     using Aggregate = NoAggregate;  // or a struct, in 32-bit words
//     explicit MyHeuristic(const uint64* words);    // what `words` of the Python face returns
//     void begin(team, const State&) const;         // by the team: what the state keeps
//     int values(const State&, int variable) const;  // how many it has, numbered from 0 on
//     Rating rate(const State&, int variable, int value) const;
//     auto rater(const State&, int variable) const;  // may take the place of rate: see below
//     uint32 weight(const Rating&, const Aggregate&) const;         // 0: impossible
//     void assign(const State&, int variable, int value) const;     // by one lane
//     void unassigned(const State&, int variable) const;            // nothing can be assigned
//   };
//
// and, where it is said by a constant,
//
//     static constexpr int kWeightBits = 20;  // weights are below 2^20: sums of a few need 32 bits
//     static constexpr bool kPrepares = true;
//     void prepare(team, const State&, int variable) const;  // by the team: values are rated next
//     static constexpr bool kAssignsByTeam = true;
//     void assign_by_team(team, const State&, int variable, int value) const;  // before `assign`
// clang-format on
//
// The team is in step before and after what it does. The variable still has no value, -1, where
// the team assigns one, and has it where `assign` is called; both are called, in this order.
//
// An aggregate is made of a rating, Aggregate(rating), of none, Aggregate(), and of two, a.join(b).
// It is joined in any order: joining must be associative and commutative to the last bit, so that
// sums are of integers. Ratings are aligned to 8 bytes. What is kept of a state may be changed by
// `prepare` and by what is called when a variable is assigned, or cannot be, alone.
//
// Words are read one by one or through a struct (backends/include/words.cuh).
//
// A functor may take states of any type, `template <class S> ... (const S& state, ...)`, and say so
// in Python by `side_by_side`: a thread of a CPU then generates some successors side by side. Such
// a functor has no aggregate, asks state.array<T>(byte) for what it keeps and state.values for the
// values, and for nothing else. `begin` and `prepare` are given all states at once: f(state) of
// each by states.each(f), only where states.may_have(variable) has one of them a value, and
// states.mark(byte, variable) to set a byte by the variable's value. `values` depends on the
// variable alone.
//
// A rater rates the values of one variable: rater(value). It is made once, before the first of
// them, and is where what all ratings have in common is read and computed; rate() reads memory
// again as often as a compiler cannot tell that it has not changed.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

// Of a heuristic whose weights depend on the value's own rating alone.
struct NoAggregate {};

template <class Aggregate>
constexpr bool kAggregates = true;
template <>
inline constexpr bool kAggregates<NoAggregate> = false;

// What rates the values of a variable: the heuristic's rater where it has one. (0 rather is an
// int.)
template <class Heuristic, class S>
GLS_DEVICE auto rater_of(const Heuristic& heuristic, const S& state, int variable, int)
    -> decltype(heuristic.rater(state, variable)) {
  return heuristic.rater(state, variable);
}
template <class Heuristic, class S>
GLS_DEVICE auto rater_of(const Heuristic& heuristic, const S& state, int variable, long) {
  return
      [&heuristic, &state, variable](int value) { return heuristic.rate(state, variable, value); };
}

// Whether a part has `prepare`.
template <class Part, class = void>
struct Prepares {
  static constexpr bool kValue = false;
};
template <class Part>
struct Prepares<Part, decltype(void(Part::kPrepares))> {
  static constexpr bool kValue = Part::kPrepares;
};

// Whether a part has `assign_by_team`.
template <class Part, class = void>
struct AssignsByTeam {
  static constexpr bool kValue = false;
};
template <class Part>
struct AssignsByTeam<Part, decltype(void(Part::kAssignsByTeam))> {
  static constexpr bool kValue = Part::kAssignsByTeam;
};

// Weights are below 2^kValue, as the heuristic says.
template <class Heuristic, class = void>
struct WeightBits {
  static constexpr int kValue = 32;
};
template <class Heuristic>
struct WeightBits<Heuristic, decltype(void(Heuristic::kWeightBits))> {
  static constexpr int kValue = Heuristic::kWeightBits;
};

// What a part does by the team, if anything, before values are rated.
template <class Team, class Part, class S>
GLS_DEVICE void prepare(const Team& team, const Part& part, const S& state, int variable) {
  if constexpr (Prepares<Part>::kValue) {
    part.prepare(team, state, variable);
    team.sync();
  }
}

// What a part does by the team, if anything, before a value is assigned.
template <class Team, class Part>
GLS_DEVICE void assign_by_team(const Team& team, const Part& part, const State& state, int variable,
                               int value) {
  if constexpr (AssignsByTeam<Part>::kValue) {
    part.assign_by_team(team, state, variable, value);
    team.sync();
  }
}

// The rating of one value.
template <class Heuristic, class S>
GLS_DEVICE typename Heuristic::Rating rated(const Heuristic& heuristic, const S& state,
                                            int variable, int value) {
  return rater_of(heuristic, state, variable, 0)(value);
}

// Of a heuristic that keeps nothing beside a state: to derive from.
struct KeepsNothing {
  using Aggregate = NoAggregate;

  template <class Team, class S>
  GLS_DEVICE void begin(const Team&, const S&) const {}
  template <class S>
  GLS_DEVICE void assign(const S&, int, int) const {}
  template <class S>
  GLS_DEVICE void unassigned(const S&, int) const {}
};

}  // namespace gls
