// Random numbers of a choice, and what samplers have in common.
#pragma once

#include "assignment/heuristics/heuristic.cuh"
#include "backends/include/philox.cuh"
#include "assignment/successors/shares.cuh"

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

// The aggregate of a variable's ratings, known to every lane; see(value, rating) is told of each of
// the lane's own.
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

// The weights of a variable's values, each of which is rated where its weight is asked for.
template <class Team, class Heuristic>
GLS_DEVICE auto weights_of(const Team& team, const Heuristic& heuristic, const State& state,
                           int variable, int count) {
  const auto rate = rater_of(heuristic, state, variable, 0);
  const auto all = aggregated<Heuristic>(team, count, rate, [](int, const auto&) {});
  return [&heuristic, rate, all](int value) { return heuristic.weight(rate(value), all); };
}

// What the one lane that has found something says, known to every lane. Calls must have a barrier
// between them.
template <class Team, class T>
GLS_DEVICE T agreed(const Team& team, bool found, const T& mine) {
  T& slot = shared_slot<T>(team);
  if (found) slot = mine;
  team.sync();
  return slot;
}

}  // namespace gls
