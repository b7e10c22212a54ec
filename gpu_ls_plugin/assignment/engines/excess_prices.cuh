// Prices of excess: one for each value, since each has a constraint of its own.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

// A value's price grows with its excess while states break constraints, and falls while they do
// not.
struct ExcessPrices {
  static constexpr int kGrowth = 100, kFall = 10;  // parts of a price by which it changes

  int64* prices;  // of a unit of each value's excess
  int64* overs;   // overload of each value in the kept state
  int most;
  int64 most_price;

  // Notes the overloads of a state that is kept.
  template <class Team, class Problem>
  GLS_DEVICE void note(const Team& team, const Problem& problem, const State& state) const {
    team.each(most, [&](int value) { overs[value] = problem.over(state, value); });
    team.sync();
  }
  // How much more the excess of a state costs than that of the kept state.
  template <class Team, class Problem>
  GLS_DEVICE int64 rise(const Team& team, const Problem& problem, const State& state) const {
    return team.template sum<int64>(most, [&](int value) {
      return prices[value] * (excess(problem.over(state, value)) - excess(overs[value]));
    });
  }
  // Adapts the prices to a state.
  template <class Team, class Problem>
  GLS_DEVICE void learn(const Team& team, const Problem& problem, const State& state,
                        bool feasible) const {
    const Ranked<int64> none{0, 0};
    const int64 largest =
        -team.least(most, none,
                    [&](int value) {
                      return Ranked<int64>{-excess(problem.over(state, value)), value};
                    })
             .value;
    team.sync();
    team.each(most, [&](int value) {
      const int64 price = prices[value], over = problem.over(state, value);
      int64 next = price - price / kFall;
      if (!feasible) {  // in 1024ths of the largest excess
        next = over > 0 ? price + (price / kGrowth + 1) * (over * 1024 / largest) / 1024 : price;
      }
      prices[value] = next < 1 ? 1 : next < most_price ? next : most_price;
    });
    team.sync();
  }

 private:
  GLS_DEVICE static int64 excess(int64 over) { return over > 0 ? over : 0; }
};

}  // namespace gls
