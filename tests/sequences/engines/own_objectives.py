"""Objectives as third parties would write them, the same ones at several levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

# The sum of weights times arrivals; each visit that its predecessor forbids is a violation.
VISITS = """
struct Visits {{
  using Cost = {cost};
  const {item}* ways;
  const {item}* weights;
  const unsigned char* forbidden;
  int n;

  struct State {{
    Cost duration, weight, cost, excess;
    int first, last;  // or -1
  }};
  GLS_DEVICE State begin() const {{ return {{0, 0, 0, 0, -1, -1}}; }}
  GLS_DEVICE State append(const State& state, int item) const {{
    return followed(state, {{0, Cost(weights[item]), 0, 0, item, item}});
  }}
  GLS_DEVICE auto cost(const State& state) const {{ return result(state); }}
  GLS_DEVICE State followed(const State& a, const State& b) const {{
    if (a.first < 0) return b;
    if (b.first < 0) return a;
    const int edge = a.last * n + b.first;
    const Cost begin = a.duration + ways[edge];
    return {{begin + b.duration, a.weight + b.weight, a.cost + b.cost + begin * b.weight,
            a.excess + b.excess + forbidden[edge], a.first, b.last}};
  }}
  GLS_DEVICE {result} result(const State& state) const {{ return {returned}; }}
  {more}
}};
"""
SUFFIX = """
  GLS_DEVICE State end() const { return begin(); }
  GLS_DEVICE State prepend(const State& state, int item) const {
    return followed(append(begin(), item), state);
  }
  GLS_DEVICE auto join(const State& a, const State& b) const { return result(followed(a, b)); }
"""
SEGMENTS = """
  GLS_DEVICE State concatenate(const State& a, const State& b) const { return followed(a, b); }
"""
LEVELS = {"prefix": "", "suffix": SUFFIX, "segments": SEGMENTS}
PRICE = 3


class Visits(gls.SequenceObjective):
    """The sum of weighted arrivals; `forbidden` pairs of neighbours are violations."""

    name = "visits"
    price = PRICE

    def __init__(
        self,
        level: str,
        ways: NDArray[Any],
        weights: NDArray[Any],
        forbidden: NDArray[np.uint8] | None,
    ) -> None:
        self.level, self.ways, self.weights, self.forbidden = level, ways, weights, forbidden
        self.integer = ways.dtype.kind == "i"

    def evaluate(self, rows: NDArray[Any]) -> Any:
        before, after = rows[:, :-1], rows[:, 1:]
        arrivals = self.ways[before, after].cumsum(axis=1)
        costs = (arrivals * self.weights[after]).sum(axis=1)
        if self.forbidden is None:
            return costs
        return costs, self.forbidden[before, after].sum(axis=1, dtype=costs.dtype)

    def functor(self) -> str:
        return "Visits"

    def source(self) -> str:
        cost, item = ("gls::int64", "gls::int64") if self.integer else ("double", "double")
        paid = self.forbidden is not None
        return VISITS.format(
            cost=cost,
            item=item,
            result=f"gls::Violating<{cost}>" if paid else cost,
            returned="{state.cost, state.excess}" if paid else "state.cost",
            more=LEVELS[self.level],
        )

    def data(self) -> Mapping[str, Any]:
        none = np.zeros_like(self.ways, np.uint8)
        forbidden = none if self.forbidden is None else self.forbidden
        return {
            "ways": self.ways,
            "weights": self.weights,
            "forbidden": forbidden,
            "n": len(self.ways),
        }


# The end of the last job; each unit of time beyond a job's deadline is a violation.
DEADLINES = """
struct Deadlines {
  static constexpr bool kRegular = true;
  const int* times;
  const int* releases;
  const int* deadlines;

  struct State {
    gls::int64 time, late;
  };
  GLS_DEVICE State begin() const { return {0, 0}; }
  GLS_DEVICE State append(State state, int item) const {
    if (state.time < releases[item]) state.time = releases[item];
    state.time += times[item];
    if (state.time > deadlines[item]) state.late += state.time - deadlines[item];
    return state;
  }
  GLS_DEVICE gls::Violating<gls::int64> cost(const State& state) const {
    return {state.time, state.late};
  }
};
"""


class Deadlines(gls.SequenceObjective):
    """The end of the last job on one machine, with releases; deadlines are constraints."""

    name = "deadlines"
    price = PRICE

    def __init__(
        self, times: NDArray[np.int32], releases: NDArray[np.int32], deadlines: NDArray[np.int32]
    ) -> None:
        self.times, self.releases, self.deadlines = times, releases, deadlines

    def evaluate(self, rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        time, late = np.zeros((2, len(rows)), np.int64)
        for jobs in rows.T:
            time = np.maximum(time, self.releases[jobs]) + self.times[jobs]
            late += np.maximum(time - self.deadlines[jobs], 0)
        return time, late

    def functor(self) -> str:
        return "Deadlines"

    def source(self) -> str:
        return DEADLINES

    def data(self) -> Mapping[str, Any]:
        return {"times": self.times, "releases": self.releases, "deadlines": self.deadlines}


# A cost for each pair of items, the one before the other.
PAIRS = """
struct Backward {
  const float* costs;
  int n;
  GLS_DEVICE double pair(int first, int second) const { return costs[first * n + second]; }
};
"""


class Backward(gls.SequenceObjective):
    """A sum over pairs of real numbers."""

    name = "backward"
    integer = False

    def __init__(self, costs: NDArray[np.float32]) -> None:
        self.costs = costs

    def evaluate(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        permuted = self.costs[rows[:, :, None], rows[:, None, :]].astype(float)
        return np.asarray(np.triu(permuted, 1).sum(axis=(1, 2)))

    def functor(self) -> str:
        return "Backward"

    def source(self) -> str:
        return PAIRS

    def data(self) -> Mapping[str, Any]:
        return {"costs": self.costs, "n": len(self.costs)}
