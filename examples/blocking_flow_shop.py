"""An objective of your own whose state is an array: a flow shop without buffers.

A job stays on its machine until the next one is free. The script prints makespans and orders.
"""

import numpy as np

import gpu_ls_plugin as gls

FUNCTOR = """
struct Blocking {{
  static constexpr bool kRegular = true;  // no job that is appended lowers the cost
  static constexpr int kStages = {machines};
  const int* times;
  struct State {{ int free[kStages]; }};  // when the last job leaves each machine
  GLS_DEVICE State begin() const {{ return {{}}; }}
  GLS_DEVICE State append(State state, int item) const {{
    int time = state.free[0];
    for (int machine = 0; machine < kStages; ++machine) {{
      time += times[item * kStages + machine];
      if (machine + 1 < kStages && time < state.free[machine + 1]) time = state.free[machine + 1];
      state.free[machine] = time;
    }}
    return state;
  }}
  GLS_DEVICE gls::int64 cost(const State& state) const {{ return state.free[kStages - 1]; }}
}};
"""


class Blocking(gls.SequenceObjective):
    name = "blocking"

    def __init__(self, times):  # shape (jobs, machines)
        self.times = np.asarray(times, np.int32)

    def evaluate(self, rows):
        free = np.zeros((len(rows), self.times.shape[1] + 1), np.int64)  # the last one always is
        for items in rows.T:
            time = free[:, 0]
            for machine, times in enumerate(self.times[items].T):
                time = free[:, machine] = np.maximum(time + times, free[:, machine + 1])
        return free[:, -2]

    def functor(self):
        return "Blocking"

    def source(self):
        return FUNCTOR.format(machines=self.times.shape[1])

    def data(self):
        return {"times": self.times}


if __name__ == "__main__":
    times = np.random.default_rng(1).integers(1, 100, (20, 5))
    for problem in (gls.Sequence(20, Blocking(times)), gls.FlowShop(times)):
        result = gls.solve(problem, seconds=1)
        print(f"{problem.objective.name}: {result.best_cost} {result.best_tour.tolist()}")
