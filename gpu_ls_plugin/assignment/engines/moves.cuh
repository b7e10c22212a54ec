// Moves of states, one variable's value or the values of two, and how they are made.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

struct StateMove {
  int variable;
  int other;  // the value, or the other variable
  int swaps;
};

// Makes a move; returns what it changes. leaves(variable) is called by one lane before a variable
// leaves its value.
template <bool kAssigns, bool kSwaps, class Team, class Problem, class Leaves>
GLS_DEVICE Worth made_move(const Team& team, const Problem& problem, const State& state,
                           const StateMove& move, Leaves leaves) {
  int* const values = state.values;
  const int variable = move.variable, other = move.other;
  Worth change{0, 0};
  if (kSwaps && move.swaps) {
    const int mine = values[variable], its = values[other];
    change = problem.swapped(state, variable, other);
    team.sync();
    problem.swap(team, state, variable, other);
    team.sync();
    team.once([&] {
      leaves(variable);
      leaves(other);
      values[variable] = its, values[other] = mine;
    });
  } else if (kAssigns) {
    change = problem.assigned(state, variable, other);
    team.sync();
    problem.assign(team, state, variable, other);
    team.sync();
    team.once([&] {
      leaves(variable);
      values[variable] = other;
    });
  }
  return change;
}

// Lists the variables that may be moved, where these are not all; returns how many.
template <class Team, class Problem>
GLS_DEVICE int list_promising(const Team& team, const Problem& problem, const State& state,
                              int* listed) {
  if constexpr (__is_base_of(AnyVariable, Problem)) {
    return state.m;
  } else {
    int count = 0;
#pragma unroll 1
    for (int base = 0; base < state.m; base += Team::kLanes) {
      const int variable = base + team.lane();
      const bool is = variable < state.m && problem.promising(state, variable);
      const Compacted found = team.compact(is);
      if (is) listed[count + found.place] = variable;
      count += found.total;
      team.sync();
    }
    return count;
  }
}

}  // namespace gls
