"""Problems of a third party: one that says what a state costs, and one with differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Assignment


class BinPacking(Assignment):
    """Items into bins, as few as can be; what does not fit is excess."""

    integer = True

    def __init__(self, items: Any, bins: int, room: int, penalty: float = 1.0) -> None:
        self.items, self.room = np.array(items, np.int32), room
        self.penalty = penalty
        super().__init__([bins] * len(self.items))

    def loads(self, rows: Any) -> np.ndarray:
        """The load of every bin, shape (P, bins)."""
        taken = self.check(rows)[..., None] == np.arange(self.sizes[0])
        return (taken * self.items[:, None]).sum(axis=1)

    def cost(self, rows: Any) -> np.ndarray:
        return (self.loads(rows) > 0).sum(axis=1)

    def excess(self, rows: Any) -> np.ndarray:
        """How much does not fit."""
        return np.maximum(self.loads(rows) - self.room, 0).sum(axis=1)

    def functor(self) -> str:
        return "BinPacking"

    def words(self) -> list[Any]:
        return [self.items, int(self.sizes[0]), self.room]

    def source(self) -> str:
        return """
struct BinPacking : gls::FromScratch<BinPacking> {
  const int* items;
  int bins, room;
  GLS_DEVICE explicit BinPacking(const gls::uint64* words)
      : items(gls::address<const int>(words[0])), bins(int(words[1])), room(int(words[2])) {}
  template <class Values>
  GLS_DEVICE gls::Worth worth(int m, const Values& values) const {
    gls::Worth worth{0, 0};
    for (int bin = 0; bin < bins; ++bin) {
      int load = 0;
      for (int item = 0; item < m; ++item) load += values[item] == bin ? items[item] : 0;
      worth.cost += load > 0;
      worth.excess += load > room ? load - room : 0;
    }
    return worth;
  }
};
"""


class Knapsacks(Assignment):
    """Items into knapsacks, with a cost of their own in each; what does not fit is excess.

    The functor keeps the loads of a state, and the team is at work wherever it may be.
    """

    integer = True

    def __init__(self, costs: Any, weights: Any, room: int, penalty: float = 1.0) -> None:
        self.costs, self.weights = np.array(costs, np.int64), np.array(weights, np.int32)
        self.room, self.penalty = room, penalty
        variables, sacks = self.costs.shape
        super().__init__([sacks] * variables)

    def loads(self, rows: Any) -> np.ndarray:
        """The load of every knapsack, shape (P, sacks)."""
        taken = self.check(rows)[..., None] == np.arange(self.sizes[0])
        return (taken * self.weights[:, None]).sum(axis=1)

    def cost(self, rows: Any) -> np.ndarray:
        rows = self.check(rows)
        its = np.take_along_axis(self.costs, np.maximum(rows, 0).T, 1).T
        return (its * (rows >= 0)).sum(axis=1)

    def excess(self, rows: Any) -> np.ndarray:
        """How much does not fit."""
        return np.maximum(self.loads(rows) - self.room, 0).sum(axis=1)

    def functor(self) -> str:
        return "Knapsacks"

    def words(self) -> list[Any]:
        return [self.costs, self.weights, int(self.sizes[0]), self.room]

    def kept_bytes(self) -> int:
        return 8 * int(self.sizes[0])

    def source(self) -> str:
        return """
struct Knapsacks : gls::AnyVariable, gls::SwapsByAssigning<Knapsacks> {
  const gls::int64* costs;
  const int* weights;
  int sacks, room;
  GLS_DEVICE explicit Knapsacks(const gls::uint64* words)
      : costs(gls::address<const gls::int64>(words[0])),
        weights(gls::address<const int>(words[1])),
        sacks(int(words[2])),
        room(int(words[3])) {}
  GLS_DEVICE static gls::int64* loads(const gls::State& state) {
    return reinterpret_cast<gls::int64*>(state.kept);
  }
  GLS_DEVICE gls::int64 over(gls::int64 load) const { return load > room ? load - room : 0; }
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const gls::State& state) const {
    team.each(sacks, [&](int sack) {
      loads(state)[sack] = 0;
      for (int v = 0; v < state.m; ++v) {
        if (state.values[v] == sack) loads(state)[sack] += weights[v];
      }
    });
  }
  GLS_DEVICE gls::Worth assigned(const gls::State& state, int variable, int value) const {
    const int before = state.values[variable];
    gls::Worth more = change(state, variable, value, weights[variable]);
    return before < 0 ? more : more + change(state, variable, before, -weights[variable]);
  }
  template <class Team>
  GLS_DEVICE void assign(const Team& team, const gls::State& state, int variable,
                         int value) const {
    team.each(sacks, [&](int sack) {
      if (sack == value) loads(state)[sack] += weights[variable];
      if (sack == state.values[variable]) loads(state)[sack] -= weights[variable];
    });
  }

 private:
  GLS_DEVICE gls::Worth change(const gls::State& state, int variable, int sack, int weight) const {
    const gls::int64 load = loads(state)[sack], cost = costs[variable * sacks + sack];
    return {weight < 0 ? -cost : cost, over(load + weight) - over(load)};
  }
};
"""


class Seats(Knapsacks):
    """Knapsacks of which each takes one item."""

    distinct = True
