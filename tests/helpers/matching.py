"""A third party's problem with distinct values and without functions for moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Assignment


class Matching(Assignment):
    """Assign a different value to each variable, at minimum cost."""

    integer = True
    distinct = True

    def __init__(self, costs: Any) -> None:
        self.costs = np.array(costs, np.int32)
        super().__init__(np.full(len(self.costs), self.costs.shape[1]))

    def cost(self, rows: Any) -> Any:
        padded = np.pad(self.costs, ((0, 0), (0, 1)))  # index -1 is a cost of 0
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
