// The paper's choice: every value is rated once, and ratings are stored.
//
// The paper stores the prefix sums of their weights as well. Here a lane keeps the sum of its
// share, and the few weights of the share in which the drawn number lies are added up again: a
// rating is what memory has to hold and to move for a value.
#pragma once

#include "assignment/successors/rescan.cuh"

namespace gls {

template <class Heuristic>
struct Stored {
  using Rating = typename Heuristic::Rating;

  Rating* ratings;

  GLS_DEVICE explicit Stored(char* memory) : ratings(reinterpret_cast<Rating*>(memory)) {}

  template <class Team>
  GLS_DEVICE int choose(const Team& team, const Heuristic& heuristic, const State& state,
                        int variable, int count, const Draw& draw) const {
    // One thread rates a few values again in less time than it stores all ratings.
    constexpr bool kRatesAgain = Team::kLanes == 1 && !kAggregates<typename Heuristic::Aggregate>;
    if constexpr (kRatesAgain) {
      return Rescan<Heuristic>(nullptr).choose(team, heuristic, state, variable, count, draw);
    }
    const auto rate = rater_of(heuristic, state, variable, 0);
    const auto store = [&](int value, const Rating& rating) { ratings[value] = rating; };
    const auto all = aggregated<Heuristic>(team, count, rate, store);
    const auto weight = [&](int value) { return heuristic.weight(ratings[value], all); };
    if constexpr (kAggregates<typename Heuristic::Aggregate>) {
      return drawn_value<WeightBits<Heuristic>::kValue>(team, count, draw, weight, weight);
    } else {  // no weight has to wait for other ratings
      const auto rated = [&](int value) {
        return heuristic.weight(ratings[value] = rate(value), all);
      };
      return drawn_value<WeightBits<Heuristic>::kValue>(team, count, draw, rated, weight);
    }
  }
};

}  // namespace gls
