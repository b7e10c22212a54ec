// The paper's choice: ratings are stored, and the prefix sums of their weights, in which the drawn
// number is looked up by segments.
#pragma once

#include "successors/draw.cuh"

namespace gls {

template <class Heuristic>
struct Stored {
  using Rating = typename Heuristic::Rating;

  uint64* sums;  // of a value's weight and of those before it
  Rating* ratings;

  // Memory for `most` values.
  GLS_DEVICE Stored(char* memory, int most)
      : sums(reinterpret_cast<uint64*>(memory)), ratings(reinterpret_cast<Rating*>(sums + most)) {}

  template <class Team>
  GLS_DEVICE int choose(const Team& team, const Heuristic& heuristic, const State& state,
                        int variable, int count, const Draw& draw) const {
    const auto all = aggregated(team, heuristic, state, variable, count,
                                [&](int value, const Rating& rating) { ratings[value] = rating; });
    const uint64 total = sum_up(team, heuristic, state, variable, count, all);
    return total > 0 ? look_up(team, {draw.below(total), 0, count}) : -1;
  }

 private:
  // Stores the prefix sums; returns the last. Without an aggregate, no rating has to wait for it.
  template <class Team, class Aggregate>
  GLS_DEVICE uint64 sum_up(const Team& team, const Heuristic& heuristic, const State& state,
                           int variable, int count, const Aggregate& all) const {
    uint64 total = 0;
#pragma unroll 1
    for (int base = 0; base < count; base += Team::kLanes) {
      const int value = base + team.lane();
      uint64 own = 0;
      if (value < count) {
        if constexpr (kAggregates<Aggregate>) {
          own = heuristic.weight(ratings[value], all);
        } else {
          own = heuristic.weight(heuristic.rate(state, variable, value), all);
        }
      }
      const Scanned<uint64> scanned =
          team.scan(own, uint64(0), [](uint64 a, uint64 b) { return a + b; });
      if (value < count) sums[value] = total + scanned.before + own;
      total += scanned.all;
    }
    team.sync();
    return total;
  }

  // Lanes look at the ends of segments, then at those of the segment's own segments.
  template <class Team>
  GLS_DEVICE int look_up(const Team& team, Range range) const {
    const auto before = [&](int value) { return value > 0 ? sums[value - 1] : 0; };
    while (range.to - range.from > 1) {
      if constexpr (Team::kLanes == 1) {
        const int middle = range.from + (range.to - range.from) / 2;
        (before(middle) <= range.left ? range.from : range.to) = middle;
      } else {
        Range mine = own_share(team, range);
        mine.left = range.left;
        const bool found =
            mine.from < mine.to && before(mine.from) <= range.left && range.left < before(mine.to);
        range = agreed(team, found, mine);
      }
    }
    return range.from;
  }
};

}  // namespace gls
