// The functor of a heuristic: it rates the values of a variable and turns ratings into weights
// (Köster et al.: local heuristics).
//
// clang-format off
//   struct MyHeuristic {
//     using Rating = int64;           // default-constructible; `rating_bytes` of the Python class
//     using Aggregate = NoAggregate;  // or a struct of 32-bit words, see below
//     explicit MyHeuristic(const uint64* words);      // from `words()` of the Python class
//     void begin(team, const State&) const;           // fills the kept data
//     int values(const State&, int variable) const;   // number of values; the first is 0
//     Rating rate(const State&, int variable, int value) const;
//     auto rater(const State&, int variable) const;   // may replace `rate`, see below
//     uint32 weight(const Rating&, const Aggregate&) const;      // 0: the value is impossible
//     void assign(const State&, int variable, int value) const;  // updates the kept data
//     void unassigned(const State&, int variable) const;         // the variable gets no value
//   };
//
// Optional members, each announced by a constant:
//
//     static constexpr int kWeightBits = 20;  // weights < 2^20, so sums of a few fit into 32 bits
//     static constexpr bool kPrepares = true;
//     void prepare(team, const State&, int variable) const;  // called before its values are rated
//     static constexpr bool kAssignsByTeam = true;
//     void assign_by_team(team, const State&, int variable, int value) const;  // before `assign`
// clang-format on
//
// All lanes of the team call a function that takes the team; the caller synchronises the team
// before and after the call. One lane calls `assign` and `unassigned`; any lane may call the
// other functions. In `assign_by_team` the variable still has the value -1; in `assign` it has its
// new value.
//
// The state's kept data may change only in `begin`, `prepare`, `assign`, `assign_by_team` and
// `unassigned`. They are aligned to 16 bytes, and ratings are aligned to 8.
//
// An aggregate summarises all ratings of a variable; for instance, it holds the lowest one. It can
// be made from one rating, Aggregate(rating), or from none, Aggregate(); a.join(b) combines two
// aggregates. Ratings are joined in any order, so joining must be associative and commutative to
// the last bit: add integers, not floats.
//
// `rater(state, variable)` returns an object that is called with each value of the variable. The
// object is made once per variable and can read and compute what all ratings have in common. In
// contrast, `rate` has to read memory again whenever the compiler cannot tell that the memory has
// not changed.
//
// A functor without an aggregate can let a CPU thread generate several successors side by side:
// its Python class sets `side_by_side`, and its members take states of any type, `template <class
// S> ... (const S& state, ...)`. They use only state.array<T>(byte), for the kept data, and
// state.values; the result of `values` depends only on the variable. `begin` and `prepare` get all
// states at once: states.each(f) calls f(state) for each state, states.may_have(variable) is false
// if no state has a value for the variable, and states.mark(byte, variable) sets the byte of the
// variable's value.
//
// backends/include/words.cuh says how to read `words`.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

// The aggregate of a heuristic whose weights depend only on the value's rating.
struct NoAggregate {};

template <class Aggregate>
constexpr bool kAggregates = true;
template <>
inline constexpr bool kAggregates<NoAggregate> = false;

// The optional constants of a functor, or their defaults.
template <class Part, class = void>
constexpr bool kHasPrepare = false;
template <class Part>
constexpr bool kHasPrepare<Part, decltype(void(Part::kPrepares))> = Part::kPrepares;

template <class Part, class = void>
constexpr bool kHasAssignByTeam = false;
template <class Part>
constexpr bool kHasAssignByTeam<Part, decltype(void(Part::kAssignsByTeam))> = Part::kAssignsByTeam;

template <class Heuristic, class = void>
constexpr int kBitsOfWeights = 32;
template <class Heuristic>
constexpr int kBitsOfWeights<Heuristic, decltype(void(Heuristic::kWeightBits))> =
    Heuristic::kWeightBits;

// The object that rates the values of a variable: the heuristic's rater if it has one, otherwise
// one that calls `rate`. Callers pass 0 as the last argument: the overload with int is preferred if
// it compiles.
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

// The rating of one value.
template <class Heuristic, class S>
GLS_DEVICE typename Heuristic::Rating rated(const Heuristic& heuristic, const S& state,
                                            int variable, int value) {
  return rater_of(heuristic, state, variable, 0)(value);
}

// Calls `prepare` of a part that has it.
template <class Team, class Part, class S>
GLS_DEVICE void prepare(const Team& team, const Part& part, const S& state, int variable) {
  if constexpr (kHasPrepare<Part>) {
    part.prepare(team, state, variable);
    team.sync();
  }
}

// Calls `assign_by_team` of a part that has it.
template <class Team, class Part>
GLS_DEVICE void assign_by_team(const Team& team, const Part& part, const State& state, int variable,
                               int value) {
  if constexpr (kHasAssignByTeam<Part>) {
    part.assign_by_team(team, state, variable, value);
    team.sync();
  }
}

// Base of a heuristic that keeps no data beside a state.
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
