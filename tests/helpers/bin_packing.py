"""An assignment problem of a third party: it has only costs, in Python and in C++."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Assignment


class BinPacking(Assignment):
    """Pack items into as few bins as possible, without overloading one."""

    integer = True

    def __init__(self, weights: Any, bins: int, room: int) -> None:
        self.weights, self.bins, self.room = np.array(weights, np.int32), bins, room
        super().__init__(np.full(len(self.weights), bins))

    def loads(self, rows: Any) -> Any:
        packed = self.check(rows)[:, :, None] == np.arange(self.bins)
        return (packed * self.weights[:, None]).sum(axis=1), packed.any(axis=1)

    def cost(self, rows: Any) -> Any:
        return self.loads(rows)[1].sum(axis=1)

    def feasible(self, rows: Any) -> Any:
        return (self.loads(rows)[0] <= self.room).all(axis=1) & super().feasible(rows)

    def functor(self) -> str:
        return "BinPacking"

    def words(self) -> list[Any]:
        return [self.weights, self.bins, self.room]

    def source(self) -> str:
        return """
struct BinPacking : gls::FromScratch<BinPacking> {
  const int* weights;
  int bins, room;

  GLS_DEVICE explicit BinPacking(const gls::uint64* words)
      : weights(gls::address<const int>(words[0])), bins(int(words[1])), room(int(words[2])) {}

  template <class Values>
  GLS_DEVICE gls::Worth worth_of(int m, const Values& values) const {
    gls::Worth worth{0, 0};
    for (int bin = 0; bin < bins; ++bin) {
      int load = 0, items = 0;
      for (int v = 0; v < m; ++v) {
        if (values[v] == bin) load += weights[v], ++items;
      }
      worth.cost += items > 0;
      worth.excess += load > room ? load - room : 0;
    }
    return worth;
  }
};
"""
