"""An objective as a third party writes it that depends on the direction of a tour: deadlines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Objective

DEADLINES = """
// A tour starts at city 0. Each step by which a city comes after its deadline costs `weight`.
struct Deadlines {
  static constexpr bool kDirected = KDIRECTED;

  const gls::int64* due;
  gls::int64 weight;

  GLS_DEVICE Deadlines(const gls::uint64* words, int)
      : due(gls::address<const gls::int64>(words[0])), weight(gls::int64(words[1])) {}

  template <class City>
  GLS_DEVICE gls::int64 lateness(int n, City city) const {
    int start = 0;
    while (city(start) != 0) ++start;
    gls::int64 sum = 0;
    for (int step = 0; step < n; ++step) {
      const int place = start + step < n ? start + step : start + step - n;
      const gls::int64 late = step - due[city(place)];
      sum += late > 0 ? late : 0;
    }
    return sum;
  }
  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    const int n = change.cities();
    const gls::TourSegments tour(FIXED);
    const auto after = [&](int place) {
      int x = 0;
      while (place >= tour.segments[x].length()) place -= tour.segments[x++].length();
      return change.city(tour.segments[x].place(place, n));
    };
    const gls::int64 before = lateness(n, [&](int place) { return change.city(place); });
    return shorter + Gain(weight * (before - lateness(n, after)));
  }
  template <class Team, class City>
  GLS_DEVICE bool feasible(const Team&, int, City) const {
    return true;
  }
};
"""


@dataclass(frozen=True, eq=False)
class Deadlines(Objective):
    """Each step by which a city comes after its deadline costs `weight`; `due` has shape (n,).

    `turns` and `fixed` are put into the C++ text; other values than the defaults are faults.
    """

    due: Any
    weight: int = 5
    turns: str = "true"
    fixed: str = "change, change.place(0)"

    name = "deadlines"
    functor = "Deadlines"
    header = "tours/problem/tour_segments.cuh"
    directed = True

    def source(self) -> str:
        return DEADLINES.replace("KDIRECTED", self.turns).replace("FIXED", self.fixed)

    def words(self, backend: Any, problem: Any) -> list[Any]:
        return [backend.xp.asarray(self.due.astype("int64")), self.weight]

    def costs(self, problem: Any, rows: Any) -> Any:
        rows = np.asarray(rows)
        places = np.argsort(rows, axis=1)
        steps = (places - places[:, :1]) % rows.shape[1]  # of each city, from city 0 on
        late = np.maximum(steps - self.due, 0).sum(axis=1)
        return (self.weight * late).astype(problem.cost_dtype)


def some_deadlines(n: int, seed: int = 0, **texts: str) -> Deadlines:
    """Return random deadlines, some of which any tour misses; `texts` as in `Deadlines`."""
    return Deadlines(np.random.default_rng(seed).integers(1, n, n), **texts)
