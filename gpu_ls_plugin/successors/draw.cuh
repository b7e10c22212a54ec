// Random numbers of a choice, and what samplers have in common.
#pragma once

#include "heuristics/heuristic.cuh"
#include "include/philox.cuh"

namespace gls {

// The 64 random bits of the choice of one variable's value.
struct Draw {
  int64 row;
  uint64 bits;

  // A uniform integer in [0, bound); the bias is below bound / 2^64.
  GLS_DEVICE uint64 below(uint64 bound) const {
#ifdef __CUDACC__
    return __umul64hi(bits, bound);
#else
    return uint64((static_cast<unsigned __int128>(bits) * bound) >> 64);
#endif
  }
};

// The aggregate of a variable's ratings, known to every lane; see(value, rating) is told of each.
template <class Team, class Heuristic, class See>
GLS_DEVICE typename Heuristic::Aggregate aggregated(const Team& team, const Heuristic& heuristic,
                                                    const State& state, int variable, int count,
                                                    See see) {
  using Aggregate = typename Heuristic::Aggregate;
  Aggregate mine;
  if constexpr (kAggregates<Aggregate>) {
    for (int value = team.lane(); value < count; value += Team::kLanes) {
      const typename Heuristic::Rating rating = heuristic.rate(state, variable, value);
      see(value, rating);
      mine = mine.join(Aggregate(rating));
    }
    mine = team.scan(mine, Aggregate(),
                     [](const Aggregate& a, const Aggregate& b) { return a.join(b); })
               .all;
  }
  return mine;
}

// The weights of a variable's values, each computed where it is asked for.
template <class Heuristic>
struct Weights {
  const Heuristic& heuristic;
  const State& state;
  int variable;
  typename Heuristic::Aggregate all;

  GLS_DEVICE uint32 operator()(int value) const {
    return heuristic.weight(heuristic.rate(state, variable, value), all);
  }
};

template <class Team, class Heuristic>
GLS_DEVICE Weights<Heuristic> weights_of(const Team& team, const Heuristic& heuristic,
                                         const State& state, int variable, int count) {
  const auto all = aggregated(team, heuristic, state, variable, count, [](int, const auto&) {});
  return {heuristic, state, variable, all};
}

// Values [from, to), one of which is to be found: the first before which, with itself, weights of
// more than `left` lie.
struct Range {
  uint64 left;
  int from, to;
};

// What the one lane that has found something says, known to every lane.
template <class Team>
GLS_DEVICE Range agreed(const Team& team, bool found, const Range& mine) {
  Range& slot = shared_slot<Range>(team);
  if (found) slot = mine;
  team.sync();
  const Range range = slot;
  team.sync();  // before it is replaced
  return range;
}

// The share of a range that is this lane's own: lanes follow each other in the order of the values.
template <class Team>
GLS_DEVICE Range own_share(const Team& team, const Range& range) {
  const int share = (range.to - range.from + Team::kLanes - 1) / Team::kLanes;
  const int64 begin = range.from + int64(team.lane()) * share, end = begin + share;
  return {0, int(begin < range.to ? begin : range.to), int(end < range.to ? end : range.to)};
}

}  // namespace gls
