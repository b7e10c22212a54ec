// The best ejection chain that begins with one of some moves, and what a problem is asked for it.
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
//
// Lanes look at the variables that may be a chain's next link, all of one value; the chain then
// goes on by those that leave most to gain, one after the other. So lanes never wait for each
// other.
#pragma once

#include "assignment/problem/ranks.cuh"
#include "assignment/engines/value_lists.cuh"

namespace gls {

constexpr int kMostLinks = 4;

// Variables that go to values, one after the other, and what that gains.
struct Chain {
  int64 gain;
  int length;
  int variables[kMostLinks];
  int values[kMostLinks];
};

template <class Team, class Problem>
struct ChainScout {
  static constexpr int kGroup = 32;  // links that are looked at side by side, whatever the team is
  static constexpr int kOwn = (kGroup + Team::kLanes - 1) / Team::kLanes;
  // By how many of the links of a group chains go on: by fewer the longer they are.
  static constexpr int kTries[kMostLinks] = {4, 2, 1, 0};

  // A link, and what it gains, or what it leaves to gain where another variable makes room.
  struct Link {
    int64 gain;
    int number;  // in its group, by which equals are told apart
    int variable, value;

    GLS_DEVICE bool operator<(const Link& other) const {
      return gain != other.gain ? other.gain < gain : number < other.number;
    }
  };
  // Of a lane, in a group: the best link that ends a chain, and those by which chains may go on.
  struct Found {
    Link last;
    Link open[kOwn];
  };
  // The value that the first variable leaves.
  struct Origin {
    int value;
    int64 over;   // how much it is over then
    int64 costs;  // which costs so much
  };

  const Team& team;
  const Problem& problem;
  const State& state;
  ValueLists lists;
  const int64* prices;
  Chain best;
  int variables[kMostLinks], values[kMostLinks];  // of the chain that is looked at
  int looks;                                      // of the lane

  // Looks for the best chain that begins with one of some likely moves, up to kGroup.
  GLS_DEVICE void look(int begin, int end) {
    best.gain = best.length = 0;
    Found found = nothing();
    each_own(end - begin, [&](int own, int number) {
      const auto likely = problem.likely(begin + number);
      const int from = state.values[likely.variable];
      if (from == likely.value) return;
      consider<0>(leaving(likely.variable, from), number, likely.variable, likely.value,
                  left(likely.variable, from, problem.over(state, from), 0), found, own);
    });
    go_on<0>({}, end - begin, found);
  }

 private:
  template <int kLink>
  GLS_DEVICE void follow(const Link& link) {
    variables[kLink] = link.variable, values[kLink] = link.value;
  }
  GLS_DEVICE Found nothing() const {
    Found found;
    found.last.gain = best.gain;
    for (int own = 0; own < kOwn; ++own) found.open[own].gain = found.open[own].number = 0;
    return found;
  }
  template <class Use>
  GLS_DEVICE void each_own(int count, Use use) const {
    for (int own = 0; own < kOwn; ++own) {
      const int number = own * Team::kLanes + team.lane();
      if (number >= count) return;
      use(own, number);
    }
  }

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
  GLS_DEVICE Origin leaving(int variable, int value) const {
    const int64 over = problem.over(state, value) - problem.price(variable, value).resource;
    return {value, over, room(value, over)};
  }
  // What is left to gain where a variable leaves a value that is so much over its room.
  GLS_DEVICE int64 left(int variable, int value, int64 over, int64 gain) const {
    return gain + room(value, over) + priced(variable, value);
  }

  // A variable goes to a value, which so much is left of the gain for.
  template <int kLink>
  GLS_DEVICE void consider(const Origin& origin, int number, int variable, int to, int64 gain,
                           Found& found, int own) {
    ++looks;
    const auto price = problem.price(variable, to);
    gain -= priced(variable, to);
    const auto ends = [&](int64 gain) {
      if (gain > found.last.gain) found.last = {gain, number, variable, to};
    };
    if (kLink > 0 && to == origin.value) {
      ends(gain - room(to, origin.over + price.resource));
      return;
    }
    const int64 over = problem.over(state, to);
    gain += room(to, over);
    if (gain <= best.gain) return;
    ends(gain - room(to, over + price.resource) - origin.costs);
    if (gain > found.open[own].gain) found.open[own] = {gain, number, variable, to};
  }

  // Keeps the chain that ends with the best link of a group, where it gains more, and goes on by
  // other links of it.
  template <int kLink>
  GLS_DEVICE void go_on(Origin origin, int count, Found& found) {
    if (team.any(found.last.gain > best.gain)) {
      const Link link = team.least(found.last);
      follow<kLink>(link);
      best.gain = link.gain, best.length = kLink + 1;
      GLS_UNROLL
      for (int k = 0; k <= kLink; ++k) best.variables[k] = variables[k], best.values[k] = values[k];
    }
    if constexpr (kTries[kLink] > 0) {
#pragma unroll 1
      for (int tries = 0; tries < kTries[kLink]; ++tries) {
        Link link{};
        each_own(count, [&](int own, int) {
          if (found.open[own] < link) link = found.open[own];
        });
        if (!team.any(link.gain > best.gain)) return;
        link = team.least(link);
        each_own(count, [&](int own, int number) {
          if (number == link.number) found.open[own].gain = 0;
        });
        follow<kLink>(link);
        if (kLink == 0) origin = leaving(link.variable, state.values[link.variable]);
        eject<kLink + 1>(origin, link);
      }
    }
  }

  // One of the variables of the value that the last link has filled leaves it.
  template <int kLink>
  GLS_DEVICE void eject(const Origin& origin, const Link& last) {
    const int full = last.value, count = lists.counts[full];
    const int64 over = problem.over(state, full) + problem.price(last.variable, full).resource;
#pragma unroll 1
    for (int base = 0; base < count; base += kGroup) {
      Found found = nothing();
      each_own(count - base, [&](int own, int number) {
        const int variable = lists.of(full, base + number);
        const int64 now = over - problem.price(variable, full).resource;
        const int64 rest = last.gain - room(full, now);
        if (rest <= best.gain) return;
        const int64 gain = rest + priced(variable, full);
#pragma unroll 1
        for (int k = problem.likely_begin(variable); k < problem.likely_begin(variable + 1); ++k) {
          const int to = problem.likely(k).value;
          bool been = false;
          GLS_UNROLL
          for (int link = 0; link < kLink; ++link) been |= values[link] == to;
          if (!been) consider<kLink>(origin, number, variable, to, gain, found, own);
        }
      });
      go_on<kLink>(origin, count - base, found);
    }
  }
};

}  // namespace gls
