"""A heuristic with an aggregate and data that it keeps beside a state, and a plain problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Assignment, Heuristic


class Plain(Assignment):
    """A problem without a functor. The cost of a state is the sum of its values."""

    integer = True

    def cost(self, rows: Any) -> Any:
        return self.check(rows).sum(axis=1)


class Spread(Heuristic):
    """The bins with the least load are the most likely; full bins are impossible.

    The kept data are the loads, and the aggregate is the largest load.
    """

    name = "spread"
    rating_bytes = 8

    def __init__(self, variables: int, bins: int, room: int) -> None:
        self.variables, self.bins, self.room = variables, bins, room

    def sizes(self, problem):
        return np.full(self.variables, self.bins)

    def functor(self):
        return "Spread"

    def words(self, backend, problem):
        return [self.bins, self.room]

    def kept_bytes(self, problem):
        return 4 * self.bins

    def source(self):
        return """
struct Most {
  gls::int64 load = 0;
  Most() = default;
  GLS_DEVICE explicit Most(gls::int64 load) : load(load) {}
  GLS_DEVICE Most join(const Most& other) const { return load < other.load ? other : *this; }
};

struct Spread {
  using Rating = gls::int64;
  using Aggregate = Most;
  int bins, room;
  GLS_DEVICE explicit Spread(const gls::uint64* words) : bins(int(words[0])), room(int(words[1])) {}
  GLS_DEVICE static int* loads(const gls::State& state) {
    return reinterpret_cast<int*>(state.kept);
  }
  template <class Team>
  GLS_DEVICE void begin(const Team& team, const gls::State& state) const {
    team.each(bins, [&](int bin) {
      int load = 0;
      for (int v = 0; v < state.m; ++v) load += state.values[v] == bin;
      loads(state)[bin] = load;
    });
  }
  GLS_DEVICE int values(const gls::State&, int) const { return bins; }
  GLS_DEVICE gls::int64 rate(const gls::State& state, int, int bin) const {
    return loads(state)[bin];
  }
  GLS_DEVICE gls::uint32 weight(gls::int64 load, const Most& most) const {
    return load < room ? gls::uint32(1 + most.load - load) : 0;
  }
  GLS_DEVICE void assign(const gls::State& state, int, int bin) const { ++loads(state)[bin]; }
  GLS_DEVICE void unassigned(const gls::State&, int) const {}
};
"""

    def weigh(self, state: list[int], variable: int) -> list[int]:
        """Return the same weights, for the oracle."""
        loads = [state.count(bin_) for bin_ in range(self.bins)]
        return [1 + max(loads) - load if load < self.room else 0 for load in loads]


def weigh(table: Any):
    """Return the weights of a table, for the oracle."""
    rows = np.asarray(table).tolist()
    return lambda state, variable: rows[variable]
