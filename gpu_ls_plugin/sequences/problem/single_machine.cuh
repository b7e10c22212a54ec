// Total weighted tardiness of jobs on a single machine.
#pragma once

#include "sequences/problem/objective.cuh"

namespace gls {

// Set-up times count if kSetups. Times are of type `Number`: int64, or double if costs are real.
template <bool kSetups = false, class Number = int64>
struct SingleMachine {
  static constexpr bool kRegular = true;

  const Number* times;
  const Number* due_dates;
  const Number* weights;
  const Number* setups;  // between two jobs, the one before first
  int jobs;

  struct State {
    Number time, cost;
    int last;  // job, or -1
  };

  GLS_DEVICE State begin() const { return {0, 0, -1}; }
  GLS_DEVICE State append(State state, int item) const {
    Number spent = times[item];
    if constexpr (kSetups) {
      if (state.last >= 0) spent += setups[int64(state.last) * jobs + item];
    }
    state.time += spent;
    const Number late = state.time - due_dates[item];
    if (late > 0) state.cost += weights[item] * late;
    state.last = item;
    return state;
  }
  GLS_DEVICE Number cost(const State& state) const { return state.cost; }
};

}  // namespace gls
