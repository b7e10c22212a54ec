// Records what the functor of an assignment problem returns for states and moves.
#pragma once

#include "assignment/problem/assignment.cuh"

namespace gls {

// The moves of each state, and what the functor returns.
struct AssignmentProbes {
  // Four numbers per move: whether it is a swap, whether it is carried out, the variable, and the
  // new value or the other variable.
  const int* moves;
  int count;  // number of moves per state
  int m;      // number of variables
  int* states;
  char* kept;  // the functor's data for each state
  int64 kept_bytes;
  int64* worths;   // cost and excess before the moves and after them
  int64* changes;  // change of cost and excess that each move causes
};

template <class Problem>
struct ProbeAssignment {
  template <class Team>
  GLS_DEVICE static void run(const Team& team, int item, AssignmentProbes all,
                             const uint64* words) {
    const Problem problem(words);
    int* const values = all.states + int64(item) * all.m;
    const State state{all.m, values, values, all.kept + item * all.kept_bytes};
    const auto write = [&](int64* place, const Worth& worth) {
      team.once([&] { place[0] = worth.cost, place[1] = worth.excess; });
    };
    problem.begin(team, state);
    team.sync();
    write(all.worths + int64(item) * 4, problem.worth(team, state));
#pragma unroll 1
    for (int64 k = int64(item) * all.count; k < int64(item + 1) * all.count; ++k) {
      const int* const move = all.moves + k * 4;
      const bool swaps = move[0], made = move[1];
      const int variable = move[2], other = move[3];
      const int old_value = values[variable], new_value = swaps ? values[other] : other;
      write(all.changes + k * 2, swaps ? problem.swapped(state, variable, other)
                                       : problem.assigned(state, variable, other));
      if (!made) continue;
      team.sync();
      if (swaps) {
        problem.swap(team, state, variable, other);
      } else {
        problem.assign(team, state, variable, other);
      }
      team.sync();
      team.once([&] {
        values[variable] = new_value;
        if (swaps) values[other] = old_value;
      });
      team.sync();
    }
    for (int v = 0; v < all.m; ++v) problem.promising(state, v);  // must compile and return
    write(all.worths + int64(item) * 4 + 2, problem.worth(team, state));
  }
};

}  // namespace gls
