// Moves that are drawn, and made where an acceptance rule takes them: threshold accepting,
// annealing. A step draws moves until the rule takes one, as a sequential search does; those that
// are drawn behind it were not looked at. Constraints are priced; the price follows the states.
#pragma once

#include "backends/include/philox.cuh"
#include "assignment/engines/complete.cuh"
#include "assignment/engines/moves.cuh"
#include "assignment/problem/ranks.cuh"
#include "assignment/successors/sampler_memory.cuh"

namespace gls {

// What kernels that search states by an acceptance rule are told.
struct AcceptedBatch {
  uint64 seed;
  int64 first_row;
  int64 round;        // number of the round, which begins with new states
  int64 step;         // of the round, the first one of the launch
  int64 steps;        // of the launch
  int64 round_steps;  // of a round, in which the rule's level runs through all levels
  int64 target;       // cost at which a feasible state is good enough
  int64 sample;       // moves that are drawn in a step, at most
  const int* sizes;   // values of each variable
  const float* levels;
  float* scales;  // of a row: what a variable of its first state cost on average, or, where that
                  // is nothing, a unit of excess
  int* states;
  int* bests;         // the best state of the round
  int64* best_costs;  // what it costs
  int64* best_excesses;
  int64* penalties;    // of a unit of excess, in kUnit-ths of a unit of cost
  int64 most_penalty;  // so that nothing overflows
  int64* move_counts;
  int64* look_counts;
  int* used;    // room for a number for each value
  int* listed;  // and for variables
  char* kept;   // null: kept in shared memory
  int64 kept_bytes;
  int m;     // variables
  int most;  // values of a variable
};

template <class Problem, class Memory, class Rule, bool kDistinct, bool kAssigns, bool kSwaps>
struct AcceptedMoves {
  static constexpr int kLevels = 64;
  static constexpr int kNumberBits = 24;  // of a move of a step
  static constexpr int kChange = 256;     // of the price of excess: by such a part in a step
  static constexpr int kNone = 0x7fffffff;

  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, AcceptedBatch all, const uint64* words) {
    const int m = all.m;
    int* const values = all.states + int64(item) * m;
    int* const listed = all.listed + int64(item) * m;
    int* const best_values = all.bests + int64(item) * m;
    const State state{m, values, values, Memory::of(all.kept + item * all.kept_bytes)};
    const uint64 seed = all.seed ^ uint64(all.round);
    if (all.step == 0) {
      complete<kDistinct>(team, values, m, all.sizes, all.most,
                          Philox(seed, Purpose::kCompletion, all.first_row + item),
                          all.used + int64(item) * all.most);
    }
    const Problem problem(words);
    problem.begin(team, state);
    team.sync();
    Worth now = problem.worth(team, state), best{all.best_costs[item], all.best_excesses[item]};
    const auto keep_best = [&] {
      best = now;
      team.each(m, [&](int v) { best_values[v] = values[v]; });
    };
    if (all.step == 0) keep_best();
    if (all.round == 0 && all.step == 0) {
      team.once([&] {
        const float mean = float(now.cost < 0 ? -now.cost : now.cost) / float(m);
        all.scales[item] = mean > 0 ? mean : float(all.penalties[item]) / float(kUnit);
      });
      team.sync();
    }
    const float scale = all.scales[item] * float(kUnit);
    int* const used = all.used + int64(item) * all.most;
    if constexpr (kDistinct && kAssigns) mark_used(team, values, m, all.most, used);
    Proposals proposals{Philox(seed, Purpose::kProposal, all.first_row + item), all.sizes, listed,
                        used};
    int64 penalty = all.penalties[item], made = 0, looks = 0;
#pragma unroll 1
    for (int64 step = all.step; step < all.step + all.steps; ++step) {
      if (team.cut() || (best.excess == 0 && best.cost <= all.target)) break;
      team.sync();
      proposals.count = list_promising(team, problem, state, listed);
      if (proposals.count == 0) break;
      const float level = scale * all.levels[step * kLevels / all.round_steps];
      const int taken =
          first_taken(team, problem, state, proposals, step, int(all.sample), penalty, level);
      looks += taken == kNone ? all.sample : taken + 1;
      if (taken == kNone) continue;
      StateMove move{};
      proposals.draw(state, step, taken, move);
      now = now + made_move<kAssigns, kSwaps>(team, problem, state, move, [&](int variable) {
              if constexpr (kDistinct && kAssigns) {
                if (!move.swaps) used[values[variable]] = 0, used[move.other] = 1;
              }
            });
      ++made;
      if (now < best) keep_best();
      penalty = now.excess <= 0              ? penalty - penalty / kChange
                : penalty < all.most_penalty ? penalty + penalty / kChange + 1
                                             : penalty;
    }
    team.sync();
    team.once([&] {
      all.best_costs[item] = best.cost, all.best_excesses[item] = best.excess;
      all.penalties[item] = penalty;
      all.move_counts[item] += made;
      all.look_counts[item] += looks;
    });
  }

 private:
  // Moves by their numbers in a step.
  struct Proposals {
    Philox random;
    const int *sizes, *listed, *used;
    int count = 0;  // variables that may be moved

    // Whether there is a move; it changes something then.
    GLS_DEVICE bool draw(const State& state, int64 step, int number, StateMove& move) {
      random.seek(step << kNumberBits | number);
      const int chosen = int(random.below(uint32(count)));
      move.variable = __is_base_of(AnyVariable, Problem) ? chosen : listed[chosen];
      const uint32 other = random.next();
      move.swaps = kSwaps && (!kAssigns || random.next() >> 31);
      const int mine = state.values[move.variable];
      if (!move.swaps) {
        move.other = int(multiply_high(other, uint32(sizes[move.variable])));
        if constexpr (kDistinct && kAssigns) {
          if (used[move.other]) return false;
        }
        return kAssigns && move.other != mine;
      }
      move.other = int(multiply_high(other, uint32(state.m)));
      const int its = state.values[move.other];
      return mine != its && its < sizes[move.variable] && mine < sizes[move.other];
    }
  };

  // The number of the first of the moves that are drawn in a step that the rule takes.
  template <class Team>
  GLS_DEVICE static int first_taken(const Team& team, const Problem& problem, const State& state,
                                    Proposals& proposals, int64 step, int sample, int64 penalty,
                                    float level) {
#pragma unroll 1
    for (int base = 0; base < sample; base += Team::kLanes) {
      const int number = base + team.lane();
      StateMove move{};
      Ranked<int> mine{kNone, 0};
      if (number < sample && proposals.draw(state, step, number, move)) {
        const Worth change = kSwaps && move.swaps
                                 ? problem.swapped(state, move.variable, move.other)
                                 : problem.assigned(state, move.variable, move.other);
        const int64 rise = change.cost * kUnit + change.excess * penalty;
        if (Rule::takes(rise, level, proposals.random)) mine.value = number;
      }
      const int first = team.least(mine).value;
      if (first != kNone) return first;
    }
    return kNone;
  }
};

}  // namespace gls
