// Ejection chains on the states of problems whose values have room for so much: a variable goes to
// a value and one of those that are there leaves it for another value, and so on (Yagiura, Ibaraki
// and Glover 2004). A step kicks a state, repairs it by chains that gain, and keeps it where it is
// no worse.
#pragma once

#include "backends/include/philox.cuh"
#include "assignment/engines/chain_scout.cuh"
#include "assignment/engines/excess_prices.cuh"
#include "assignment/successors/sampler_memory.cuh"

namespace gls {

// What kernels that search states by chains are told.
struct ChainSteps {
  uint64 seed;
  int64 first_row;
  int64 round;       // number of the round, which begins with new states
  int64 step;        // of the round, the first one of the launch
  int64 steps;       // of the launch
  int64 target;      // cost at which a feasible state is good enough
  int64 kicks;       // variables that a step moves at random: 1 to so many
  int64 most_price;  // of a unit of excess, so that nothing overflows
  int* states;
  int* bests;         // the best state of the round
  int64* best_costs;  // what it costs
  int64* best_excesses;
  int64* prices;  // of a unit of excess of each value, in kUnit-ths of a unit of cost
  int64* overs;   // of each value in the state that is kept
  int64* move_counts;
  int64* look_counts;
  int* tried;    // room for a state
  int* counts;   // of the variables of each value,
  int* members;  // and room for all of them for each
  char* kept;    // where it does not lie in shared memory
  int64 kept_bytes;
  int m;     // variables
  int most;  // values of a variable
};

template <class Problem, class Memory>
struct EjectionChains {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, ChainSteps all, const uint64* words) {
    const int m = all.m;
    const Problem problem(words);
    int* const states = all.states + int64(item) * m;
    int* const values = all.tried + int64(item) * m;
    const State state{m, states, values, Memory::of(all.kept + item * all.kept_bytes)};
    const ValueLists lists{all.counts + int64(item) * all.most,
                           all.members + int64(item) * all.most * m, m};
    Philox random(all.seed ^ uint64(all.round), Purpose::kChainKick, all.first_row + item);
    const auto copy = [&](const int* from, int* to) {
      team.sync();
      team.each(m, [&](int v) { to[v] = from[v]; });
      team.sync();
    };
    if (all.step == 0) complete(team, problem, states, m, all, item);
    copy(states, values);
    problem.begin(team, state);
    team.sync();
    Worth now = problem.worth(team, state), best{all.best_costs[item], all.best_excesses[item]};
    int* const best_values = all.bests + int64(item) * m;
    if (all.step == 0) best = now, copy(values, best_values);
    const ExcessPrices prices{all.prices + int64(item) * all.most,
                              all.overs + int64(item) * all.most, all.most, all.most_price};
    prices.note(team, problem, state);
    int64 made = 0, looks = 0;
#pragma unroll 1
    for (int64 step = all.step; step < all.step + all.steps; ++step) {
      if (team.cut() || (best.excess == 0 && best.cost <= all.target)) break;
      copy(states, values);
      random.seek(step << 8);
      const int from = int(random.next() >> 1);
      if (step > 0) team.once([&] { kick(problem, values, m, all.kicks, random); });
      team.sync();
      lists.begin(team, values, all.most);
      problem.begin(team, state);
      team.sync();
      made += repair(team, problem, state, lists, prices.prices, from, looks);
      const Worth then = problem.worth(team, state);
      prices.learn(team, problem, state, then.excess == 0);
      if ((then - now).cost * kUnit + prices.rise(team, problem, state) <= 0) {
        now = then, copy(values, states);
        prices.note(team, problem, state);
      }
      if (then < best) best = then, copy(values, best_values);
    }
    looks = team.total(looks);
    team.once([&] {
      all.best_costs[item] = best.cost, all.best_excesses[item] = best.excess;
      all.move_counts[item] += made;
      all.look_counts[item] += looks;
    });
  }

 private:
  // Variables without a value get likely ones.
  template <class Team>
  GLS_DEVICE static void complete(const Team& team, const Problem& problem, int* states, int m,
                                  const ChainSteps& all, int item) {
    Philox random(all.seed ^ uint64(all.round), Purpose::kCompletion, all.first_row + item);
    team.each(m, [&](int v) {
      if (states[v] >= 0) return;
      random.seek(v);
      states[v] = any_likely(problem, v, random);
    });
  }
  GLS_DEVICE static int any_likely(const Problem& problem, int variable, Philox& random) {
    const int begin = problem.likely_begin(variable);
    return problem.likely(begin + random.below(problem.likely_begin(variable + 1) - begin)).value;
  }
  GLS_DEVICE static void kick(const Problem& problem, int* values, int m, int64 kicks,
                              Philox& random) {
    for (int left = int(random.below(uint32(kicks))); left >= 0; --left) {
      const int variable = int(random.below(uint32(m)));
      values[variable] = any_likely(problem, variable, random);
    }
  }

  // Makes chains that gain until there is none; returns how many.
  template <class Team>
  GLS_DEVICE static int64 repair(const Team& team, const Problem& problem, const State& state,
                                 const ValueLists& lists, const int64* prices, int from,
                                 int64& looks) {
    using Scout = ChainScout<Team, Problem>;
    constexpr int kGroup = Scout::kGroup;  // beginnings of which the best one is taken
    const int starts = problem.likely_begin(state.m), groups = (starts + kGroup - 1) / kGroup;
    Scout scout{team, problem, state, lists, prices};
    int64 made = 0;
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
        move(team, problem, state, lists, scout.best.variables[k], scout.best.values[k]);
      }
      ++made, idle = 0;
    }
    looks += scout.looks;
    return made;
  }

  template <class Team>
  GLS_DEVICE static void move(const Team& team, const Problem& problem, const State& state,
                              const ValueLists& lists, int variable, int value) {
    const int from = state.values[variable];
    problem.assign(team, state, variable, value);
    team.sync();
    lists.move(team, variable, from, value);
    team.once([&] { state.values[variable] = value; });
    team.sync();
  }
};

}  // namespace gls
