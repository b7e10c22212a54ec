"""One vehicle visits customers within time windows; lateness is a violation with a price."""

import numpy as np

import gpu_ls_plugin as gls

FUNCTOR = """
struct TimeWindows {
  const int* travel;  // from the row's place to the column's; place n is the depot
  const int *opens, *closes;
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
    name, price = "time_windows", 100

    def __init__(self, n):
        rng = np.random.default_rng(n)
        apart = np.subtract.outer(*[rng.integers(0, 100, (n + 1, 2)) @ [1, 1j]] * 2)
        self.n, self.travel = n, np.rint(np.abs(apart)).astype(np.int32)
        row = rng.permutation(n)  # a tour in time
        arrivals = self.travel[np.r_[n, row[:-1]], row].cumsum(dtype=np.int32)[np.argsort(row)]
        self.opens, self.closes = (arrivals + side for side in np.array([-60, 60], np.int32))

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
        return {"travel": self.travel, "opens": self.opens, "closes": self.closes, "n": self.n}


if __name__ == "__main__":
    result = gls.solve(gls.Sequence(40, TimeWindows(40)), seconds=1)
    print(f"length {result.best_cost}, in time: {result.best_feasible}")
