// What breaking the constraint of each value costs a state that is searched.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

// What a unit of excess of each value costs: it grows where states break constraints, with the
// excess, and falls where they do not.
struct ExcessPrices {
  static constexpr int kGrowth = 100, kFall = 10;  // by such a part

  int64 *prices, *overs;
  int most;
  int64 most_price;

  // Keeps how much of each value is taken by the state that is kept.
  template <class Team, class Problem>
  GLS_DEVICE void note(const Team& team, const Problem& problem, const State& state) const {
    team.each(most, [&](int value) { overs[value] = problem.over(state, value); });
    team.sync();
  }
  // What the excess of a state costs more than that.
  template <class Team, class Problem>
  GLS_DEVICE int64 rise(const Team& team, const Problem& problem, const State& state) const {
    return team.template sum<int64>(most, [&](int value) {
      return prices[value] * (excess(problem.over(state, value)) - excess(overs[value]));
    });
  }
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
      if (!feasible) {  // in shares of 1024 of the largest excess
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
