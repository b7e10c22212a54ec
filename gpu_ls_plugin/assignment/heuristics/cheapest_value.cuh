// A heuristic that prefers values that would add little to the state's cost. It performs greedy
// randomised construction, with weights instead of a restricted candidate list.
#pragma once

#include "assignment/heuristics/heuristic.cuh"

namespace gls {

// The lowest and the highest rating of a variable's values.
struct RatingSpan {
  static constexpr int64 kMost = 0x7fffffffffffffff;
  int64 least = kMost, greatest = -kMost - 1;

  RatingSpan() = default;
  GLS_DEVICE explicit RatingSpan(int64 rating) : least(rating), greatest(rating) {}
  GLS_DEVICE RatingSpan join(const RatingSpan& other) const {
    RatingSpan both = *this;
    if (other.least < least) both.least = other.least;
    if (greatest < other.greatest) both.greatest = other.greatest;
    return both;
  }
};

// The first words of a `CheapestValue`. The problem's words follow.
struct CheapestValueData {
  const int* sizes;  // how many values each variable has
  int64 penalty;     // cost of a unit of excess, in 256ths of a unit of cost
  int64 sharpness;   // how often weights are halved from the lowest rating to the highest
};

template <class Problem>
struct CheapestValue {
  using Rating = int64;  // in 256ths of a unit of cost
  using Aggregate = RatingSpan;
  static constexpr bool kAssignsByTeam = true;

  const CheapestValueData data;
  const Problem problem;

  GLS_DEVICE explicit CheapestValue(const uint64* words)
      : data(parameters_of<CheapestValueData>(words)),
        problem(words_behind<CheapestValueData>(words)) {}

  template <class Team>
  GLS_DEVICE void begin(const Team& team, const State& state) const {
    problem.begin(team, state);
  }
  GLS_DEVICE int values(const State&, int variable) const { return data.sizes[variable]; }
  GLS_DEVICE int64 rate(const State& state, int variable, int value) const {
    const Worth more = problem.assigned(state, variable, value);
    // Unsigned, so that a rating that does not fit into 64 bits is wrong, but not undefined.
    return int64(uint64(more.cost) * 256 + uint64(more.excess) * uint64(data.penalty));
  }
  // The weight is halved with every 1/sharpness of the span, and is linear in between. Only the
  // upper 16 bits of the span are used, and halvings are counted in 1024ths, so that the dividend
  // fits into 32 bits.
  GLS_DEVICE uint32 weight(int64 rating, const RatingSpan& all) const {
    constexpr uint32 kMost = 1u << 31, kHalving = 1u << 10;
    const uint64 span = uint64(all.greatest) - uint64(all.least);
    if (span == 0) return kMost;
    const int bits = highest_bit(span), shift = bits > 15 ? bits - 15 : 0;
    const uint32 distance = uint32((uint64(rating) - uint64(all.least)) >> shift);
    const uint32 halvings = distance * (kHalving * uint32(data.sharpness)) / uint32(span >> shift);
    return (kMost - (kMost / (2 * kHalving)) * (halvings % kHalving)) >> (halvings / kHalving);
  }
  template <class Team>
  GLS_DEVICE void assign_by_team(const Team& team, const State& state, int variable,
                                 int value) const {
    problem.assign(team, state, variable, value);
  }
  GLS_DEVICE void assign(const State&, int, int) const {}
  GLS_DEVICE void unassigned(const State&, int) const {}
};

}  // namespace gls
