// A heuristic that rates each variable with the heuristic for its type. Each of these heuristics
// rates only variables of its type, but keeps track of the whole state.
#pragma once

#include "assignment/heuristics/pair.cuh"

namespace gls {

// A rating by one of two heuristics.
template <class First, class Second>
struct EitherRating {
  union {
    alignas(8) First first;
    alignas(8) Second second;
  };
  bool is_first;

  GLS_DEVICE EitherRating() {}
  GLS_DEVICE explicit EitherRating(const First& rating) : first(rating), is_first(true) {}
  GLS_DEVICE EitherRating(bool, const Second& rating) : second(rating), is_first(false) {}
};

template <class Aggregate, class Rating>
GLS_DEVICE Aggregate aggregate_of(const Rating& rating) {
  if constexpr (kAggregates<Aggregate>) {
    return Aggregate(rating);
  } else {
    return {};
  }
}

template <class Aggregate>
GLS_DEVICE Aggregate joined(const Aggregate& a, const Aggregate& b) {
  if constexpr (kAggregates<Aggregate>) {
    return a.join(b);
  } else {
    return {};
  }
}

// The aggregates of two heuristics. As all ratings of a variable come from the same heuristic, the
// other one's aggregate stays empty.
template <class First, class Second, class Rating>
struct EitherAggregate {
  First first;
  Second second;

  EitherAggregate() = default;
  GLS_DEVICE EitherAggregate(const First& first, const Second& second)
      : first(first), second(second) {}
  GLS_DEVICE explicit EitherAggregate(const Rating& rating) {
    if (rating.is_first) {
      first = aggregate_of<First>(rating.first);
    } else {
      second = aggregate_of<Second>(rating.second);
    }
  }
  GLS_DEVICE EitherAggregate join(const EitherAggregate& other) const {
    return {joined(first, other.first), joined(second, other.second)};
  }
};

// The first words of a `ByType`. The words of its `FunctorPair` follow.
struct ByTypeData {
  const int* types;  // type of each variable
  int64 type;        // type of the variables that the first heuristic rates
};

// The first heuristic rates the variables of one type, the second all others. The second may itself
// be a `ByType`.
template <class First, class Second>
struct ByType : FunctorPair<First, Second> {
  using FirstAll = typename First::Aggregate;
  using SecondAll = typename Second::Aggregate;
  using Rating = EitherRating<typename First::Rating, typename Second::Rating>;
  using Aggregate = AggregateIf<EitherAggregate<FirstAll, SecondAll, Rating>,
                                kAggregates<FirstAll> || kAggregates<SecondAll>>;

  const ByTypeData data;

  GLS_DEVICE explicit ByType(const uint64* words)
      : FunctorPair<First, Second>(words_behind<ByTypeData>(words)),
        data(parameters_of<ByTypeData>(words)) {}

  GLS_DEVICE int values(const State& state, int variable) const {
    return is_first(variable) ? this->first.values(state, variable)
                              : this->second.values(this->behind(state), variable);
  }
  GLS_DEVICE Rating rate(const State& state, int variable, int value) const {
    if (is_first(variable)) return Rating(rated(this->first, state, variable, value));
    return Rating(false, rated(this->second, this->behind(state), variable, value));
  }
  GLS_DEVICE uint32 weight(const Rating& rating, const Aggregate& all) const {
    if constexpr (kAggregates<Aggregate>) {
      return rating.is_first ? this->first.weight(rating.first, all.first)
                             : this->second.weight(rating.second, all.second);
    } else {
      return rating.is_first ? this->first.weight(rating.first, all)
                             : this->second.weight(rating.second, all);
    }
  }
  template <class Team>
  GLS_DEVICE void prepare(const Team& team, const State& state, int variable) const {
    if (is_first(variable)) {
      gls::prepare(team, this->first, state, variable);
    } else {
      gls::prepare(team, this->second, this->behind(state), variable);
    }
  }
  GLS_DEVICE void unassigned(const State& state, int variable) const {
    this->first.unassigned(state, variable);
    this->second.unassigned(this->behind(state), variable);
  }

 private:
  GLS_DEVICE bool is_first(int variable) const { return data.types[variable] == int(data.type); }
};

}  // namespace gls
