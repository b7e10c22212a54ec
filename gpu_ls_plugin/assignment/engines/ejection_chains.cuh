// Ejection chains on the states of problems whose values have a capacity (Yagiura, Ibaraki and
// Glover 2004). In a chain, a variable takes a value, one of the variables that have this value
// moves to another one, and so on. A step kicks the state, repairs it with improving chains, and
// keeps the result if it is no worse.
#pragma once

#include "assignment/engines/chain_scout.cuh"
#include "assignment/engines/round_state.cuh"
#include "backends/include/philox.cuh"

namespace gls {

// Arguments of `EjectionChains`, in addition to `RoundBatch`. Each array has a row for each state.
struct ChainSteps {
  int64 kicks;    // maximum number of variables that a step moves at random; the minimum is 1
  int64* prices;  // price of a unit of each value's excess, in kUnit-ths of a unit of cost
  int64* overs;   // overload of each value in the state that is kept
  int* tried;     // scratch: the state that a step changes
  int* counts;    // scratch: how many variables have each value
  int* members;   // scratch, shape (P, most, m): the variables of each value
};

// Prices of excess, one for each value, since each value has its own constraint. The price of a
// value rises with its excess while states break constraints, and falls while they are feasible.
struct ExcessPrices {
  // A price rises by up to 1/kGrowth of itself, or falls by 1/kFall of itself.
  static constexpr int kGrowth = 100, kFall = 10;

  int64* prices;  // price of a unit of each value's excess
  int64* overs;   // overload of each value in the kept state
  int most;
  int64 most_price;

  // Stores the overloads of the state that is kept.
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
      if (!feasible) {  // the rise is proportional to over / largest, in 1024ths
        next = over > 0 ? price + (price / kGrowth + 1) * (over * 1024 / largest) / 1024 : price;
      }
      prices[value] = next < 1 ? 1 : next < most_price ? next : most_price;
    });
    team.sync();
  }

 private:
  GLS_DEVICE static int64 excess(int64 over) { return over > 0 ? over : 0; }
};

template <class Problem, class Memory>
struct EjectionChains : RoundState<Problem, Memory> {
  using Base = RoundState<Problem, Memory>;
  using Base::all, Base::now, Base::problem, Base::state;

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, RoundBatch all, ChainSteps steps,
                             const uint64* words) {
    EjectionChains search(all, item, steps, words);
    search.begin(team);
    Philox random(all.seed ^ uint64(all.round), Purpose::kChainKick, all.first_row + item);
#pragma unroll 1
    for (int64 step = all.step; step < all.step + all.steps; ++step) {
      if (search.ends(team)) break;
      search.copy(team, search.row(all.states), search.state.values);
      random.seek(step << 8);
      const int from = int(random.next() >> 1);
      if (step > 0) team.once([&] { search.kick(steps.kicks, random); });
      team.sync();
      search.lists.begin(team, search.state.values, all.most);
      search.problem.begin(team, search.state);
      team.sync();
      search.repair(team, from);
      search.judge(team);
    }
    search.looks = team.total(search.looks);
    search.write(team);
  }

 private:
  const ValueLists lists;
  const ExcessPrices prices;

  GLS_DEVICE EjectionChains(const RoundBatch& all, int item, const ChainSteps& steps,
                            const uint64* words)
      : Base(all, item, steps.tried + int64(item) * all.m, words),
        lists{this->row_of_values(steps.counts), steps.members + int64(item) * all.most * all.m,
              all.m},
        prices{this->row_of_values(steps.prices), this->row_of_values(steps.overs), all.most,
               all.most_penalty} {}

  template <class Team>
  GLS_DEVICE void copy(const Team& team, const int* from, int* to) const {
    team.sync();
    team.each(all.m, [&](int v) { to[v] = from[v]; });
    team.sync();
  }

  template <class Team>
  GLS_DEVICE void begin(const Team& team) {
    if (all.step == 0) complete(team);
    copy(team, this->row(all.states), state.values);
    this->evaluate(team);
    if (all.step == 0) keep_best(team, now);
    prices.note(team, problem, state);
  }

  template <class Team>
  GLS_DEVICE void keep_best(const Team& team, const Worth& worth) {
    team.sync();
    Base::keep_best(team, worth);
    team.sync();
  }

  // Gives each variable without a value a random likely value.
  template <class Team>
  GLS_DEVICE void complete(const Team& team) const {
    Philox random(all.seed ^ uint64(all.round), Purpose::kCompletion, all.first_row + this->item);
    int* const values = this->row(all.states);
    team.each(all.m, [&](int v) {
      if (values[v] >= 0) return;
      random.seek(v);
      values[v] = any_likely(v, random);
    });
  }
  GLS_DEVICE int any_likely(int variable, Philox& random) const {
    const int begin = problem.likely_begin(variable);
    return problem.likely(begin + random.below(problem.likely_begin(variable + 1) - begin)).value;
  }
  GLS_DEVICE void kick(int64 kicks, Philox& random) const {
    for (int left = int(random.below(uint32(kicks))); left >= 0; --left) {
      const int variable = int(random.below(uint32(all.m)));
      state.values[variable] = any_likely(variable, random);
    }
  }

  // Applies improving chains until there are none left. `from`, a random number, selects the group
  // of likely moves with which the search begins.
  template <class Team>
  GLS_DEVICE void repair(const Team& team, int from) {
    using Scout = ChainScout<Team, Problem>;
    constexpr int kGroup = Scout::kGroup;
    const int starts = problem.likely_begin(state.m), groups = (starts + kGroup - 1) / kGroup;
    Scout scout{team, problem, state, lists, prices.prices};
    int group = from % groups;
#pragma unroll 1
    for (int idle = 0; idle < groups && !team.cut(); group = group + 1 < groups ? group + 1 : 0) {
      const int begin = group * kGroup, end = begin + kGroup;
      scout.look(begin, end < starts ? end : starts);
      ++idle;
      if (scout.best.gain == 0) continue;
      GLS_UNROLL
      for (int k = 0; k < kMostLinks; ++k) {
        if (k == scout.best.length) break;
        move(team, scout.best.variables[k], scout.best.values[k]);
      }
      ++this->made, idle = 0;
    }
    this->looks += scout.looks;
  }

  template <class Team>
  GLS_DEVICE void move(const Team& team, int variable, int value) const {
    const int from = state.values[variable];
    problem.assign(team, state, variable, value);
    team.sync();
    lists.move(team, variable, from, value);
    team.once([&] { state.values[variable] = value; });
    team.sync();
  }

  // Adapts the prices to the repaired state, and keeps it if it costs no more than the kept one.
  template <class Team>
  GLS_DEVICE void judge(const Team& team) {
    const Worth then = problem.worth(team, state);
    prices.learn(team, problem, state, then.excess == 0);
    if ((then - now).cost * kUnit + prices.rise(team, problem, state) <= 0) {
      now = then;
      copy(team, state.values, this->row(all.states));
      prices.note(team, problem, state);
    }
    if (then < this->best) keep_best(team, then);
  }
};

}  // namespace gls
