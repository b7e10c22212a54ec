// Total weighted tardiness of jobs on a single machine.
#pragma once

#include "sequences/problem/objective.cuh"

namespace gls {

// Set-up times count if kSetups.
template <bool kSetups = false>
struct SingleMachine {
  static constexpr bool kRegular = true;

  const int64* times;
  const int64* due_dates;
  const int64* weights;
  const int64* setups;  // between two jobs, the one before first
  int jobs;

  struct State {
    int64 time, cost;
    int last;  // job, or -1
  };

  GLS_DEVICE State begin() const { return {0, 0, -1}; }
  GLS_DEVICE State append(State state, int item) const {
    if constexpr (kSetups) {
      if (state.last >= 0) state.time += setups[int64(state.last) * jobs + item];
    }
    state.time += times[item];
    const int64 late = state.time - due_dates[item];
    if (late > 0) state.cost += weights[item] * late;
    state.last = item;
    return state;
  }
  GLS_DEVICE int64 cost(const State& state) const { return state.cost; }
};

}  // namespace gls
