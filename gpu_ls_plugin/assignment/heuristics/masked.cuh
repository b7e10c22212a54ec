// Heuristics with masks: a value that a mask forbids in a state has weight 0 there.
//
// clang-format off
//   struct MyMask {
//     explicit MyMask(const uint64* words);  // from `words()` of the Python class
//     void begin(team, const State&) const;  // fills the kept data
//     bool allows(const State&, int variable, int value) const;
//     void assign(const State&, int variable, int value) const;  // updates the kept data
//   };
// clang-format on
//
// The rules of heuristic.cuh also apply to masks; a mask may have `prepare`. Variables that are not
// active (not to be reassigned) keep their values, even if the mask forbids them.
#pragma once

#include "assignment/heuristics/pair.cuh"

namespace gls {

// A rating and whether the mask allows the value.
template <class Own>
struct alignas(8) MaskedRating {
  Own own;  // the heuristic's rating
  bool allowed;
};

// The heuristic's aggregate of the ratings of allowed values.
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
  static constexpr int kWeightBits = kBitsOfWeights<Heuristic>;

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
    } else {  // without a branch, so that the compiler can vectorise the loop
      return this->first.weight(rating.own, all) & (0u - uint32(rating.allowed));
    }
  }
  template <class S>
  GLS_DEVICE void unassigned(const S& state, int variable) const {
    this->first.unassigned(state, variable);
  }
};

// Allows a value if both masks do.
template <class First, class Second>
struct BothAllow : FunctorPair<First, Second> {
  using FunctorPair<First, Second>::FunctorPair;

  template <class S>
  GLS_DEVICE bool allows(const S& state, int variable, int value) const {
    return this->first.allows(state, variable, value) &&
           this->second.allows(this->behind(state), variable, value);
  }
};

}  // namespace gls
