// Heuristics with masks: values that a mask forbids in a state have weight 0 there.
//
// clang-format off
//   struct MyMask {
//     explicit MyMask(const uint64* words);          // what `words` of the Python face returns
//     void begin(team, const State&) const;          // by the team: what the state keeps
//     bool allows(const State&, int variable, int value) const;
//     void assign(const State&, int variable, int value) const;  // by one lane
//   };
// clang-format on
//
// A mask may `prepare`, and reads its words, as heuristics do. Variables that are not assigned anew
// may have values that break it.
#pragma once

#include "assignment/heuristics/pair.cuh"

namespace gls {

template <class Own>
struct alignas(8) MaskedRating {
  Own own;  // where the value is allowed
  bool allowed;
};

// The aggregate of the ratings of values that are allowed.
template <class Own, class Rating>
struct OfAllowed {
  Own own;

  OfAllowed() = default;
  GLS_DEVICE explicit OfAllowed(const Own& own) : own(own) {}
  GLS_DEVICE explicit OfAllowed(const Rating& rating)
      : own(rating.allowed ? Own(rating.own) : Own()) {}
  GLS_DEVICE OfAllowed join(const OfAllowed& other) const { return OfAllowed(own.join(other.own)); }
};

template <class Heuristic, class Mask>
struct Masked : FunctorPair<Heuristic, Mask> {
  using Own = typename Heuristic::Aggregate;
  using Rating = MaskedRating<typename Heuristic::Rating>;
  using Aggregate = AggregateIf<OfAllowed<Own, Rating>, kAggregates<Own>>;
  static constexpr bool kPrepares = Prepares<Heuristic>::kValue || Prepares<Mask>::kValue;
  static constexpr bool kAssignsByTeam = AssignsByTeam<Heuristic>::kValue;
  static constexpr int kWeightBits = WeightBits<Heuristic>::kValue;

  using FunctorPair<Heuristic, Mask>::FunctorPair;

  template <class S>
  GLS_DEVICE int values(const S& state, int variable) const {
    return this->first.values(state, variable);
  }
  template <class S>
  GLS_DEVICE Rating rate(const S& state, int variable, int value) const {
    return {rated(this->first, state, variable, value),
            this->second.allows(this->behind(state), variable, value)};
  }
  GLS_DEVICE uint32 weight(const Rating& rating, const Aggregate& all) const {
    if constexpr (kAggregates<Own>) {
      return rating.allowed ? this->first.weight(rating.own, all.own) : 0;
    } else {  // without a branch, so that a compiler makes vectors
      return this->first.weight(rating.own, all) & (0u - uint32(rating.allowed));
    }
  }
  template <class Team, class S>
  GLS_DEVICE void prepare(const Team& team, const S& state, int variable) const {
    gls::prepare(team, this->first, state, variable);
    gls::prepare(team, this->second, this->behind(state), variable);
  }
  template <class Team>
  GLS_DEVICE void assign_by_team(const Team& team, const State& state, int variable,
                                 int value) const {
    gls::assign_by_team(team, this->first, state, variable, value);
  }
  template <class S>
  GLS_DEVICE void unassigned(const S& state, int variable) const {
    this->first.unassigned(state, variable);
  }
};

// Values that both masks allow.
template <class First, class Second>
struct BothAllow : FunctorPair<First, Second> {
  static constexpr bool kPrepares = Prepares<First>::kValue || Prepares<Second>::kValue;

  using FunctorPair<First, Second>::FunctorPair;

  template <class S>
  GLS_DEVICE bool allows(const S& state, int variable, int value) const {
    return this->first.allows(state, variable, value) &&
           this->second.allows(this->behind(state), variable, value);
  }
  template <class Team, class S>
  GLS_DEVICE void prepare(const Team& team, const S& state, int variable) const {
    gls::prepare(team, this->first, state, variable);
    gls::prepare(team, this->second, this->behind(state), variable);
  }
};

}  // namespace gls
