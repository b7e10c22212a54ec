// Looks for the best ejection chain that begins with one of several moves.
//
// clang-format off
// For ejection chains, a problem's functor also needs these members:
//
//   Price price(int variable, int value) const;  // {cost, resource}; {0, 0} if value is -1
//   int64 over(const State&, int value) const;   // load minus capacity
//   int64 rate(int value) const;                 // price of capacity, in kUnit-ths of a cost
//   int likely_begin(int variable) const;        // number of the variable's first likely move
//   Likely likely(int number) const;             // {variable, value}; at least one per variable
// clang-format on
//
// The likely values of a variable are those that chains may give it. Likely moves, pairs of a
// variable and a likely value, are numbered variable by variable.
//
// Rates are Lagrange multipliers. With them, the cost of a state is a constant plus terms that are
// never negative: the reduced costs of its variables, and the prices of capacity that is left over
// or missing. A chain can gain at most the cost of the terms that it touches; the search abandons a
// chain once its links have used up that gain.
//
// The lanes of a team evaluate the variables of one value side by side, each as the next link of a
// chain. Then all lanes together try to continue with the most promising of these links, one after
// the other, so that no lane waits for another one.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

// Longest possible chain; see docs/lab/kernels-states-and-sequences.md, "Ejection chains".
constexpr int kMostLinks = 4;

// A chain of moves: variables[k] changes to values[k].
struct Chain {
  int64 gain;
  int length;
  int variables[kMostLinks];
  int values[kMostLinks];
};

// For each value, an array of its variables, which the lanes of a team read side by side.
struct ValueLists {
  int* counts;   // how many variables have each value
  int* members;  // lists of each value's variables, m entries apart
  int m;

  GLS_DEVICE int of(int value, int number) const { return members[int64(value) * m + number]; }

  // Lists the variables of each value in ascending order.
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const int* values, int most) const {
    team.each(most, [&](int value) {
      int count = 0;
      for (int v = 0; v < m; ++v) {
        if (values[v] == value) members[int64(value) * m + count++] = v;
      }
      counts[value] = count;
    });
    team.sync();
  }
  // Moves a variable to another list. The last variable of the former list fills the gap.
  template <class Team>
  GLS_DEVICE void move(const Team& team, int variable, int from, int to) const {
    const int last = counts[from] - 1, final = of(from, last);
    team.sync();
    team.each(last, [&](int number) {
      if (of(from, number) == variable) members[int64(from) * m + number] = final;
    });
    team.once([&] {
      counts[from] = last;
      members[int64(to) * m + counts[to]++] = variable;
    });
    team.sync();
  }
};

template <class Team, class Problem>
struct ChainScout {
  static constexpr int kGroup = 32;  // number of links evaluated side by side, whatever the team
  static constexpr int kOwn = (kGroup + Team::kLanes - 1) / Team::kLanes;  // links per lane
  // How many links of a group a chain tries to continue with, depending on the chain's length.
  // See docs/lab/kernels-states-and-sequences.md, "Ejection chains".
  static constexpr int kTries[kMostLinks] = {4, 2, 1, 0};

  // A link. `gain` is what the chain gains if it ends with this link, or an upper bound on the gain
  // if it continues.
  struct Link {
    int64 gain;
    int number;  // in its group; breaks ties
    int variable, value;

    GLS_DEVICE bool operator<(const Link& other) const {
      return gain != other.gain ? other.gain < gain : number < other.number;
    }
  };
  // Results of a lane in a group: the best last link, and links with which chains may continue.
  struct Found {
    Link last;
    Link open[kOwn];
  };
  // The value that the first variable leaves.
  struct Origin {
    int value;
    int64 over;   // its overload without that variable
    int64 costs;  // cost of that overload, or of the capacity left over
  };

  const Team& team;
  const Problem& problem;
  const State& state;
  ValueLists lists;
  const int64* prices;
  Chain best;
  int variables[kMostLinks], values[kMostLinks];  // links of the chain so far
  int looks;                                      // how many links the lane evaluated

  // Finds the best chain that begins with one of the likely moves [begin, end), at most kGroup.
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
    continue_by<0>({}, end - begin, found);
  }

 private:
  // Stores `link` as link number kLink of the chain.
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
  // Calls use(own, number) for this lane's links in a group of `count`: its link `own`, which is
  // link `number` of the group.
  template <class Use>
  GLS_DEVICE void each_own(int count, Use use) const {
    for (int own = 0; own < kOwn; ++own) {
      const int number = own * Team::kLanes + team.lane();
      if (number >= count) return;
      use(own, number);
    }
  }

  // Cost of a value's overload, or of the capacity that it has left over; never negative.
  GLS_DEVICE int64 room(int value, int64 over) const {
    const int64 rate = problem.rate(value);
    if (over <= 0) return -rate * over;
    const int64 price = prices[value];
    return price > rate ? (price - rate) * over : 0;
  }
  // Cost of giving a variable a value, including the price of the capacity that it takes.
  GLS_DEVICE int64 priced(int variable, int value) const {
    const auto price = problem.price(variable, value);
    return price.cost * kUnit + problem.rate(value) * price.resource;
  }
  GLS_DEVICE Origin leaving(int variable, int value) const {
    const int64 over = problem.over(state, value) - problem.price(variable, value).resource;
    return {value, over, room(value, over)};
  }
  // Upper bound on a chain's gain after a variable has left a value whose overload was `over`;
  // `gain` is the bound before that.
  GLS_DEVICE int64 left(int variable, int value, int64 over, int64 gain) const {
    return gain + room(value, over) + priced(variable, value);
  }

  // Evaluates a link: a variable that has left its value takes the value `to`. `gain` is the upper
  // bound on the chain's gain before that.
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

  // Keeps the chain that ends with the group's best last link if it gains more than the best chain
  // so far. Then tries to continue the current chain with links of the group.
  template <int kLink>
  GLS_DEVICE void continue_by(Origin origin, int count, Found& found) {
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

  // Searches for the next link: one of the variables leaves the value that the last link filled.
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
          bool visited = false;
          GLS_UNROLL
          for (int link = 0; link < kLink; ++link) visited |= values[link] == to;
          if (!visited) consider<kLink>(origin, number, variable, to, gain, found, own);
        }
      });
      continue_by<kLink>(origin, count - base, found);
    }
  }
};

}  // namespace gls
