"""Total tardiness as an author writes it, for tests of objectives of one's own."""

from __future__ import annotations

import numpy as np

import gpu_ls_plugin as gls

TARDY = """\
struct Tardy {
  static constexpr bool kRegular = true;
  const gls::int64* times;
  const gls::int64* due;
  struct State {
    gls::int64 time, late;
  };
  GLS_DEVICE State begin() const { return {0, 0}; }
  GLS_DEVICE State append(State state, int item) const {
    state.time += times[item];
    if (state.time > due[item]) state.late += state.time - due[item];
    return state;
  }
  GLS_DEVICE gls::int64 cost(const State& state) const { return state.late; }
};
"""


class Tardy(gls.SequenceObjective):
    """The sum of delays, with a C++ text in which one place may be replaced."""

    name = "tardy"

    def __init__(self, n: int = 7, right: str = "", wrong: str = "") -> None:
        rng = np.random.default_rng(n)
        self.times = rng.integers(1, 20, n)
        self.due = rng.integers(1, 10 * n, n)
        assert right in TARDY
        self.text = TARDY.replace(right, wrong, 1)

    def evaluate(self, rows):
        return np.maximum(self.times[rows].cumsum(axis=1) - self.due[rows], 0).sum(axis=1)

    def functor(self):
        return "Tardy"

    def source(self):
        return self.text

    def data(self):
        return {"times": self.times, "due": self.due}
