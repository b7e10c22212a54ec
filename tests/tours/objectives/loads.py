"""An objective as a third party writes it that is not a sum over edges: loads beyond a capacity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Objective

LOADS = """
// A tour visits depots, whose demand is 0. The cities between two depots have a load, the sum of
// their demands. Loads beyond the capacity cost extra.
struct Loads {
  const gls::int64* demands;
  gls::int64 capacity, weight;

  GLS_DEVICE Loads(const gls::uint64* words, int)
      : demands(gls::address<const gls::int64>(words[0])),
        capacity(gls::int64(words[1])),
        weight(gls::int64(words[2])) {}

  struct Routes {
    gls::int64 capacity, excess, load, first;  // first: the load before the first depot, or -1

    GLS_DEVICE gls::int64 over(gls::int64 load) const {
      return load > capacity ? load - capacity : 0;
    }
    GLS_DEVICE void visit(gls::int64 demand) {
      load += demand;
      if (demand > 0) return;
      if (first < 0)
        first = load;
      else
        excess += over(load);
      load = 0;
    }
    GLS_DEVICE gls::int64 total() const { return excess + over(load + (first > 0 ? first : 0)); }
  };

  template <class City>
  GLS_DEVICE gls::int64 excess(int n, City city) const {
    Routes routes{capacity, 0, 0, -1};
    for (int place = 0; place < n; ++place) routes.visit(demands[city(place)]);
    return routes.total();
  }
  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    const int n = change.cities();
    Routes after{capacity, 0, 0, -1};
    const gls::TourSegments tour(change);
    for (int x = 0; x < tour.size; ++x) {
      const gls::Segment& segment = tour.segments[x];
      for (int step = 0; step < segment.length(); ++step) {
        after.visit(demands[change.city(segment.place(step, n))]);
      }
    }
    const gls::int64 before = excess(n, [&](int place) { return change.city(place); });
    return shorter + Gain(weight * (before - after.total()));
  }
  template <class Team, class City>
  GLS_DEVICE bool feasible(const Team&, int n, City city) const {
    return excess(n, city) == 0;
  }
};
"""


@dataclass(frozen=True, eq=False)
class Loads(Objective):
    """Loads beyond a capacity cost extra, and such tours are no results.

    Demands have shape (n,); those of depots are 0.
    """

    demands: Any
    capacity: int
    weight: int = 10

    name = "loads"
    functor = "Loads"
    header = "tours/problem/tour_segments.cuh"

    def source(self) -> str:
        return LOADS

    def words(self, backend: Any, problem: Any) -> list[Any]:
        return [backend.xp.asarray(self.demands.astype("int64")), self.capacity, self.weight]

    def excess(self, rows: Any) -> Any:
        """The total excess of the loads of each tour, shape (P,)."""
        return np.array([self._excess(self.demands[row]) for row in np.asarray(rows)])

    def costs(self, problem: Any, rows: Any) -> Any:
        return (self.weight * self.excess(rows)).astype(problem.cost_dtype)

    def feasible(self, problem: Any, rows: Any) -> Any:
        return self.excess(rows) == 0

    def _excess(self, demands: Any) -> int:
        (depots,) = np.nonzero(demands == 0)
        loads = np.add.reduceat(np.roll(demands, -depots[0]), depots - depots[0])
        return int(np.maximum(loads - self.capacity, 0).sum())


def some_loads(n: int, seed: int = 0) -> Loads:
    """Return loads with a fifth of the cities as depots. Random tours exceed the capacity."""
    random = np.random.default_rng(seed)
    demands = random.integers(1, 10, n)
    demands[random.choice(n, max(2, n // 5), replace=False)] = 0
    return Loads(demands, capacity=int(1.3 * demands.sum() / max(2, n // 5)))
