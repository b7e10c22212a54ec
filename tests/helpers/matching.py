"""A problem of a third party whose values are distinct, and which says nothing of moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Assignment


class Matching(Assignment):
    """Give each variable a value of its own at the least sum of costs."""

    integer = True
    distinct = True

    def __init__(self, costs: Any) -> None:
        self.costs = np.array(costs, np.int32)
        super().__init__(np.full(len(self.costs), self.costs.shape[1]))

    def cost(self, rows: Any) -> Any:
        padded = np.pad(self.costs, ((0, 0), (0, 1)))  # of -1, the last one
        return padded[np.arange(self.n), self.check(rows)].sum(axis=1, dtype=np.int64)

    def functor(self) -> str:
        return "Matching"

    def words(self) -> list[Any]:
        return [self.costs, self.costs.shape[1]]

    def source(self) -> str:
        return """
struct Matching : gls::FromScratch<Matching> {
  const int* costs;
  int values;

  GLS_DEVICE explicit Matching(const gls::uint64* words)
      : costs(gls::address<const int>(words[0])), values(int(words[1])) {}

  template <class Values>
  GLS_DEVICE gls::Worth worth_of(int m, const Values& chosen) const {
    gls::Worth worth{0, 0};
    for (int v = 0; v < m; ++v) {
      if (chosen[v] >= 0) worth.cost += costs[v * values + chosen[v]];
    }
    return worth;
  }
};
"""
