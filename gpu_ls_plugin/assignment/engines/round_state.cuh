// The arguments and the state that all search kernels of assignment problems share. A launch makes
// a number of steps of a round on each state.
#pragma once

#include "assignment/problem/assignment.cuh"
#include "assignment/successors/sampler_memory.cuh"

namespace gls {

// Arguments of a launch. P is the number of states.
struct RoundBatch {
  uint64 seed;
  int64 first_row;
  int64 round;        // number of the round, which begins with new states
  int64 step;         // number of the launch's first step within the round
  int64 steps;        // number of steps that the launch makes
  int64 target;       // a feasible state of this cost ends the search
  const int* sizes;   // how many values each variable has
  int* states;        // shape (P, m)
  int* bests;         // the best state of each row in this round
  int64* best_costs;  // cost and excess of `bests`
  int64* best_excesses;
  int64* penalties;    // cost of a unit of excess, in kUnit-ths of a unit of cost
  int64 most_penalty;  // limit on penalties, so that their sums fit into 64 bits
  int64* move_counts;  // number of moves that were made
  int64* look_counts;  // number of moves that were evaluated
  char* kept;          // the functor's data if they are not in shared memory
  int64 kept_bytes;    // number of bytes of `kept` per state
  int m;               // number of variables
  int most;            // the largest number of values of a variable
};

// One state during a launch.
template <class Problem, class Memory>
struct RoundState {
  const RoundBatch& all;
  const int item;
  const Problem problem;
  const State state;       // `before` is the item's row of `all.states`
  int* const best_values;  // values of the best state of the round
  Worth now, best;
  int64 made = 0, looks = 0;  // how many moves were made, and how many evaluated

  // `values` is the row of values that moves change.
  GLS_DEVICE RoundState(const RoundBatch& all, int item, int* values, const uint64* words)
      : all(all),
        item(item),
        problem(words),
        state{all.m, row(all.states), values, Memory::of(all.kept + item * all.kept_bytes)},
        best_values(row(all.bests)),
        now{0, 0},
        best{all.best_costs[item], all.best_excesses[item]} {}

  // The item's row of an array (P, m).
  template <class T>
  GLS_DEVICE T* row(T* rows) const {
    return rows + int64(item) * all.m;
  }
  // The item's row of an array (P, most).
  template <class T>
  GLS_DEVICE T* row_of_values(T* rows) const {
    return rows + int64(item) * all.most;
  }
  template <class Team>
  GLS_DEVICE void evaluate(const Team& team) {
    problem.begin(team, state);
    team.sync();
    now = problem.worth(team, state);
  }
  template <class Team>
  GLS_DEVICE void keep_best(const Team& team, const Worth& worth) {
    best = worth;
    team.each(all.m, [&](int v) { best_values[v] = state.values[v]; });
  }
  // Whether the time is up or the target is reached.
  template <class Team>
  GLS_DEVICE bool ends(const Team& team) const {
    return team.cut() || (best.excess == 0 && best.cost <= all.target);
  }
  template <class Team>
  GLS_DEVICE void write(const Team& team) const {
    team.sync();
    team.once([&] {
      all.best_costs[item] = best.cost, all.best_excesses[item] = best.excess;
      all.move_counts[item] += made;
      all.look_counts[item] += looks;
    });
  }
};

}  // namespace gls
