"""Objectives as third parties write them: tolls, forbidden edges, loads of routes, deadlines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Objective, UnsupportedProblemError

TOLLS = """
// Tolls of edges, an n x n matrix that is symmetric if lengths are.
struct Tolls {
  const gls::int64* tolls;
  gls::int64 n;

  GLS_DEVICE Tolls(const gls::uint64* words, int n)
      : tolls(gls::address<const gls::int64>(words[0])), n(n) {}

  GLS_DEVICE gls::int64 toll(gls::Edge edge) const { return tolls[edge.from * n + edge.to]; }

  // Tolls of the removed edges minus those of the added ones.
  template <class Change>
  GLS_DEVICE gls::int64 refund(const Change& change) const {
    gls::int64 sum = 0;
    for (int edge = 0; edge < change.edges(); ++edge) {
      sum += toll(change.leaving(edge)) - toll(change.coming(edge));
    }
    return sum;
  }
  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    return shorter + Gain(refund(change));
  }
  template <class Team, class City>
  GLS_DEVICE bool feasible(const Team& team, int n, City city) const {
    return team.template sum<gls::int64>(n, [&](int place) {
      return toll({city(place), city(place + 1 < n ? place + 1 : 0)});
    }) == 0;
  }
};
"""

FORBIDDEN = """
// Tolls cost nothing, but no move may increase their sum.
struct NoTolls : Tolls {
  using Tolls::Tolls;

  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    return refund(change) < 0 ? gls::forbidden<Gain>() : shorter;
  }
};
"""


@dataclass(frozen=True, eq=False)
class Tolls(Objective):
    """Some edges cost more than their length; tours with such edges are not results."""

    matrix: Any

    name = "tolls"
    functor = "Tolls"
    by_edges = True

    def source(self) -> str:
        return TOLLS

    def check(self, problem: Any) -> None:
        if self.matrix.shape != (problem.n, problem.n):
            raise UnsupportedProblemError("problem: the tolls are for another number of cities")

    def words(self, backend: Any, problem: Any) -> list[Any]:
        return [backend.xp.asarray(self.matrix.astype("int64"))]

    def paid(self, rows: Any) -> Any:
        return self.matrix[rows, np.roll(rows, -1, axis=1)].sum(axis=1)

    def costs(self, problem: Any, rows: Any) -> Any:
        return self.paid(rows).astype(problem.cost_dtype)

    def feasible(self, problem: Any, rows: Any) -> Any:
        return self.paid(rows) == 0


@dataclass(frozen=True, eq=False)
class Forbidden(Tolls):
    """Moves must not add some edges; they may remove them."""

    name = "forbidden"
    functor = "NoTolls"

    def source(self) -> str:
        return TOLLS + FORBIDDEN

    def costs(self, problem: Any, rows: Any) -> Any:
        return np.zeros(len(rows), problem.cost_dtype)


@dataclass(frozen=True, eq=False)
class WholeTolls(Tolls):
    """The same tolls, but declared as not being a sum over edges."""

    name = "whole_tolls"
    by_edges = False


def some_tolls(n: int, seed: int = 0, share: float = 0.3, most: int = 100) -> Any:
    """Return a symmetric matrix (n, n) of tolls on a share of the edges."""
    random = np.random.default_rng(seed)
    tolls = random.integers(1, most + 1, (n, n)) * (random.random((n, n)) < share)
    upper = np.triu(tolls, 1)
    return (upper + upper.T).astype("int64")


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
    """Return random deadlines; any tour misses some of them. `texts` as in `Deadlines`."""
    return Deadlines(np.random.default_rng(seed).integers(1, n, n), **texts)
