"""An objective of your own, a sum over pairs: 60 jobs on one machine, some wait for others.

The cost is the weighted sum of the starts of the jobs, plus a penalty for each job that begins
before one that it waits for. The script prints the cost of the best order and its broken rules.
"""

import numpy as np

import gpu_ls_plugin as gls

FUNCTOR = """
struct WeightedStarts {
  const gls::int64* times;
  const gls::int64* weights;
  const gls::int64* penalties;
  int n;
  // The cost of having one job before another one.
  GLS_DEVICE gls::int64 pair(int first, int second) const {
    return times[first] * weights[second] + penalties[first * n + second];
  }
};
"""


class WeightedStarts(gls.SequenceObjective):
    """The weighted sum of the times at which jobs begin, and of penalties for wrong orders."""

    name = "weighted_starts"

    def __init__(self, n, penalty=10_000):
        rng = np.random.default_rng(n)
        self.n, (self.times, self.weights) = n, rng.integers(1, 10, (2, n))
        self.breaches = np.tril(rng.random((n, n)) < 3 / n, -1)  # [b, a]: b must wait for a
        self.penalties = penalty * self.breaches.astype(np.int64)

    def evaluate(self, rows):
        starts = self.times[rows].cumsum(axis=1) - self.times[rows]
        penalties = np.triu(self.penalties[rows[:, :, None], rows[:, None]], 1).sum(axis=(1, 2))
        return (self.weights[rows] * starts).sum(axis=1) + penalties

    def functor(self):
        return "WeightedStarts"

    def source(self):
        return FUNCTOR

    def data(self):
        return {name: vars(self)[name] for name in ("times", "weights", "penalties", "n")}


if __name__ == "__main__":
    objective = WeightedStarts(60)
    result = gls.solve(gls.Sequence(60, objective), seconds=1)
    row = result.best_tour
    wrong = np.triu(objective.breaches[row[:, None], row], 1).sum()
    print(f"cost {result.best_cost}, {wrong} of {objective.breaches.sum()} precedences broken")
