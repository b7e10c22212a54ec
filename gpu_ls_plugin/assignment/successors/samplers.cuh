// Samplers choose one of a variable's values with a probability proportional to its weight.
//
// `Stored` follows the paper (Köster, Groß and Krüger: FANG): it rates every value once and stores
// the ratings. The paper also stores the prefix sums of the weights. Here each lane keeps the sum
// of its share, and the weights of the share that holds the drawn number are added up again, so
// that memory holds only a rating for each value. `Rescan` stores nothing and rates values again.
// Both choose the same value.
#pragma once

#include "assignment/heuristics/heuristic.cuh"
#include "assignment/successors/prefix_sums.cuh"

namespace gls {

// Returns the aggregate of a variable's ratings on every lane. If there is an aggregate, each lane
// calls see(value, rating) for the values of its share.
template <class Heuristic, class Team, class Rate, class See>
GLS_DEVICE typename Heuristic::Aggregate aggregated(const Team& team, int count, const Rate& rate,
                                                    See see) {
  using Aggregate = typename Heuristic::Aggregate;
  Aggregate mine;
  if constexpr (kAggregates<Aggregate>) {
    own_share(team, count).each(rate, [&](int value, const typename Heuristic::Rating& rating) {
      see(value, rating);
      mine = mine.join(Aggregate(rating));
    });
    mine = team.joined(mine, Aggregate(),
                       [](const Aggregate& a, const Aggregate& b) { return a.join(b); });
  }
  return mine;
}

// Chooses a value without stored ratings.
template <class Heuristic>
struct Rescan {
  GLS_DEVICE explicit Rescan(char*) {}

  // Returns the chosen value; -1 if all weights are 0.
  template <class Team>
  GLS_DEVICE int choose(const Team& team, const Heuristic& heuristic, const State& state,
                        int variable, int count, Draw draw) const {
    const auto rate = rater_of(heuristic, state, variable, 0);
    const auto all = aggregated<Heuristic>(team, count, rate, [](int, const auto&) {});
    const auto weight = [&](int value) { return heuristic.weight(rate(value), all); };
    return drawn_value<kBitsOfWeights<Heuristic>>(team, count, draw, weight, weight);
  }
};

// Chooses a value with stored ratings.
template <class Heuristic>
struct Stored {
  using Rating = typename Heuristic::Rating;

  Rating* ratings;

  GLS_DEVICE explicit Stored(char* memory) : ratings(reinterpret_cast<Rating*>(memory)) {}

  // See `Rescan::choose`.
  template <class Team>
  GLS_DEVICE int choose(const Team& team, const Heuristic& heuristic, const State& state,
                        int variable, int count, Draw draw) const {
    constexpr bool kJoins = kAggregates<typename Heuristic::Aggregate>;
    // For a thread, rating a few values again takes less time than storing all ratings.
    if constexpr (Team::kLanes == 1 && !kJoins) {
      return Rescan<Heuristic>(nullptr).choose(team, heuristic, state, variable, count, draw);
    }
    const auto rate = rater_of(heuristic, state, variable, 0);
    const auto store = [&](int value, const Rating& rating) { ratings[value] = rating; };
    const auto all = aggregated<Heuristic>(team, count, rate, store);
    const auto weight = [&](int value) { return heuristic.weight(ratings[value], all); };
    if constexpr (kJoins) {
      return drawn_value<kBitsOfWeights<Heuristic>>(team, count, draw, weight, weight);
    } else {  // no weight has to wait for other ratings
      const auto rated = [&](int value) {
        return heuristic.weight(ratings[value] = rate(value), all);
      };
      return drawn_value<kBitsOfWeights<Heuristic>>(team, count, draw, rated, weight);
    }
  }
};

}  // namespace gls
