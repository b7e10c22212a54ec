"""An objective of your own with constraints: a vehicle visits 40 customers within time windows.

The script prints the travelled length of the best order, and whether all visits are in time.
"""

import numpy as np

import gpu_ls_plugin as gls

FUNCTOR = """
struct TimeWindows {
  const int *opens, *closes, *travel;  // travel: from a row's place to a column's; n is the depot
  int n;
  struct State { gls::int64 time, length, late; int place; };
  GLS_DEVICE State begin() const { return {0, 0, 0, n}; }
  GLS_DEVICE State append(State state, int item) const {
    const int way = travel[state.place * (n + 1) + item];
    state.length += way, state.time += way, state.place = item;
    if (state.time < opens[item]) state.time = opens[item];  // it waits
    if (state.time > closes[item]) state.late += state.time - closes[item];
    return state;
  }
  GLS_DEVICE gls::Violating<gls::int64> cost(const State& s) const {
    return {s.length + travel[s.place * (n + 1) + n], s.late};
  }
};
"""


class TimeWindows(gls.SequenceObjective):
    name, price = "time_windows", 100  # the search adds 100 for each minute of lateness

    def __init__(self, n):
        rng = np.random.default_rng(n)
        self.n, self.travel = n, rng.integers(1, 100, (n + 1, n + 1), np.int32)
        arrivals = np.cumsum(self.travel[range(-1, n - 1), range(n)], dtype=np.int32)  # 0, 1, ...
        self.opens, self.closes = arrivals - 60, arrivals + 60

    def evaluate(self, rows):
        time, length, late = np.zeros((3, len(rows)), np.int64)
        for before, item in zip(np.insert(rows, 0, self.n, axis=1).T, rows.T, strict=False):
            length += self.travel[before, item]
            time = np.maximum(time + self.travel[before, item], self.opens[item])
            late += np.maximum(time - self.closes[item], 0)
        return length + self.travel[rows[:, -1], self.n], late

    def functor(self):
        return "TimeWindows"

    def source(self):
        return FUNCTOR

    def data(self):
        return vars(self)


if __name__ == "__main__":
    result = gls.solve(gls.Sequence(40, TimeWindows(40)), seconds=1)
    print(f"length {result.best_cost}, in time: {result.best_feasible}")
