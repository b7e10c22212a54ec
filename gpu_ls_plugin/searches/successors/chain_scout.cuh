// The best ejection chain that begins with one variable, and what a problem is asked for it.
//
// clang-format off
//   Price price(int variable, int value) const;         // {cost, resource}; value may be -1
//   int64 over(const State&, int value) const;          // load less room
//   int64 rate(int value) const;                        // what a unit of room is worth, kUnit-ths
//   int likely_begin(int variable) const;  // number of the first value that is worth a try for it,
//   Likely likely(int number) const;       // {variable, value}; each variable has one at least
// clang-format on
//
// By rates, Lagrange multipliers, a state costs a constant, what its variables cost with the room
// that they take, and what room is left or missing: all terms from zero on. So a chain can only
// gain what the terms that it touches cost, and is given up when that is spent.
#pragma once

#include "problems/assignment.cuh"
#include "searches/successors/ranks.cuh"

namespace gls {

constexpr int kMostLinks = 4;

// Variables that go to values, one after the other, and what that gains.
struct Chain {
  int64 gain;
  int start;  // number among the beginnings, by which equals are told apart
  int length;
  int variables[kMostLinks];
  int values[kMostLinks];

  GLS_DEVICE bool operator<(const Chain& other) const {
    return gain != other.gain ? other.gain < gain : start < other.start;
  }
};

// Looks for the best chain that begins with one variable; whatever others look for.
template <class Problem>
struct ChainScout {
  // Lanes wait for the one that takes longest, and of a link most that a lane does is to pass over
  // variables.
  static constexpr int kMostVisits = 64;

  const Problem& problem;
  const State& state;
  const int *firsts, *follows;
  const int64* prices;
  Chain best;
  int variables[kMostLinks], values[kMostLinks];
  int from;          // the value that the first variable leaves
  int64 from_left;   // how much it is over then
  int64 from_costs;  // which costs so much
  int looks;
  int visits;  // of variables that might leave their value

  // What a value costs that is so much over its room: never less than 0.
  GLS_DEVICE int64 room(int value, int64 over) const {
    const int64 rate = problem.rate(value);
    if (over <= 0) return -rate * over;
    const int64 price = prices[value];
    return price > rate ? (price - rate) * over : 0;
  }
  GLS_DEVICE int64 priced(int variable, int value) const {
    const auto price = problem.price(variable, value);
    return price.cost * kUnit + problem.rate(value) * price.resource;
  }

  GLS_DEVICE void look(int start, int first, int to) {
    best.gain = best.length = looks = visits = 0;
    best.start = start;
    from = state.values[first];
    if (to == from) return;
    const int64 over = problem.over(state, from);
    from_left = over - problem.price(first, from).resource;
    from_costs = room(from, from_left);
    const int64 gain = room(from, over) + priced(first, from);
    go<0>(first, to, gain);
  }

 private:
  GLS_DEVICE void consider(int length, int64 gain) {
    if (gain <= best.gain) return;
    best.gain = gain, best.length = length;
    GLS_UNROLL
    for (int k = 0; k < kMostLinks; ++k)
      best.variables[k] = variables[k], best.values[k] = values[k];
  }

  // A variable goes to a value, which so much is left of the gain for.
  template <int kLink>
  GLS_DEVICE void go(int variable, int to, int64 gain) {
    ++looks;
    gain -= priced(variable, to);
    variables[kLink] = variable, values[kLink] = to;
    if (kLink > 0 && to == from) {
      consider(kLink + 1, gain - room(from, from_left + problem.price(variable, to).resource));
      return;
    }
    const int64 over = problem.over(state, to),
                filled = over + problem.price(variable, to).resource;
    gain += room(to, over);
    if (gain <= best.gain) return;
    consider(kLink + 1, gain - room(to, filled) - from_costs);
    if constexpr (kLink + 1 < kMostLinks) eject<kLink + 1>(to, filled, gain);
  }

  // One of the variables of a value that is so much over its room leaves it.
  template <int kLink>
  GLS_DEVICE void eject(int full, int64 over, int64 gain) {
#pragma unroll 1
    for (int variable = firsts[full]; variable >= 0; variable = follows[variable]) {
      if (++visits > kMostVisits) return;
      const int64 left = gain - room(full, over - problem.price(variable, full).resource);
      if (left <= best.gain) continue;
      const int64 freed = left + priced(variable, full);
#pragma unroll 1
      for (int k = problem.likely_begin(variable); k < problem.likely_begin(variable + 1); ++k) {
        const int to = problem.likely(k).value;
        bool been = false;
        GLS_UNROLL
        for (int link = 0; link < kLink; ++link) been |= values[link] == to;
        if (!been) go<kLink>(variable, to, freed);
      }
    }
  }
};

}  // namespace gls
