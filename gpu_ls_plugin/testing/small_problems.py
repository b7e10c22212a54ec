"""Problems for the checks: small, some of them degenerate or with many ties."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidProblemError, PrecisionWarning
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.routes.problem.giant_tours import durations_alone
from gpu_ls_plugin.tours.problem.objective import Objective
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.metrics import Metric

# Each edge costs up to 180 more than its length.
SURCHARGES = """
struct Surcharges {
  GLS_DEVICE Surcharges(const gls::uint64*, int) {}

  GLS_DEVICE static int of(gls::Edge edge) { return (edge.from + edge.to) % 10 * 20; }

  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    int sum = 0;
    for (int edge = 0; edge < change.edges(); ++edge) {
      sum += of(change.leaving(edge)) - of(change.coming(edge));
    }
    return shorter + Gain(sum);
  }
  template <class Team, class City>
  GLS_DEVICE bool feasible(const Team&, int, City) const {
    return true;
  }
};
"""
CITIES = 40  # number of cities of the usual problem; few enough for brute force


class Surcharges(Objective):
    """An objective that shows whether moves are judged by more than their lengths."""

    name = "surcharges"
    functor = "Surcharges"
    by_edges = True

    def source(self) -> str:
        return SURCHARGES

    def costs(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[Any]:
        ends = rows + np.roll(rows, -1, axis=1)
        sums: NDArray[Any] = (ends % 10 * 20).sum(axis=1).astype(problem.cost_dtype)
        return sums


def planar(metric: Metric | str, seed: int, n: int = CITIES) -> list[TSP]:
    """Return problems in the plane, the usual one first, without those that the metric refuses.

    Cities are random (far apart, close together with many ties, or few), all at one place, two at
    each place, or on a line.
    """
    random = np.random.default_rng([seed, n])
    sets = {
        f"{n} cities": random.integers(0, 1000, (n, 2)),
        f"{n} cities near one another": random.integers(0, 30, (n, 2)),
        "cities between integers": random.uniform(0, 80, (n, 2)),
        "each city twice": np.repeat(random.integers(0, 50, (12, 2)), 2, axis=0),
        "all cities at one place": np.ones((15, 2)),
        "cities on a line": [(x, 1) for x in range(20)],
        "8 cities": random.integers(0, 60, (8, 2)),
        "5 cities": random.integers(0, 60, (5, 2)),
    }
    made = (_planar(points, metric, name) for name, points in sets.items())
    return [problem for problem in made if problem is not None]


def explicit(seed: int, *, symmetric: bool) -> list[TSP]:
    """Return problems defined by a matrix of integers, the usual one first."""
    random = np.random.default_rng([seed, CITIES])

    def made(size: int, span: int, name: str) -> TSP:
        lengths: Any = random.integers(0, span, (size, size))
        return TSP.from_matrix(lengths + lengths.T if symmetric else lengths, name=name)

    return [
        made(CITIES, 1000, f"{CITIES} cities"),
        made(CITIES, 4, "many equal lengths"),
        made(15, 1, "all lengths are 0"),
        made(8, 50, "8 cities"),
        made(5, 50, "5 cities"),
    ]


def under_surcharges(seed: int) -> TSP:
    """Return the usual problem in the plane under a small objective."""
    return planar("EUC_2D", seed)[0].under(Surcharges())


def of_several_metrics(seed: int) -> list[TSP]:
    """Return problems with integer and real metrics, from coordinates and from matrices."""
    return [
        *planar("EUC_2D", seed),
        *planar("EUC", seed),
        *explicit(seed, symmetric=True),
        *explicit(seed, symmetric=False),
    ]


def routing(seed: int) -> list[CVRP]:
    """Return vehicle routing problems with and without a duration limit, the usual one first.

    Giant tours have a copy of the depot for each customer.
    """
    made: list[CVRP] = []
    for nodes in (*planar("EUC_2D", seed), *planar("EUC", seed), *explicit(seed, symmetric=False)):
        random = np.random.default_rng([seed, nodes.n])
        demands = np.r_[0, random.integers(0, 10, nodes.n - 1)]
        farthest = float(durations_alone(nodes, np.zeros(nodes.n, np.int64)).max())
        made += [_routing(nodes, demands, limit) for limit in (None, 1.5 * farthest)]
    return made


def _routing(nodes: TSP, demands: Any, limit: float | None) -> CVRP:
    rest: Any = {"capacity": 30, "route_limit": limit, "copies": nodes.n - 1, "name": nodes.name}
    if nodes.coordinates is None:
        return CVRP.from_matrix(nodes.values, demands, **rest)
    return CVRP(nodes.coordinates, demands, metric=nodes.metric, **rest)


def distance_matrix(problem: TSP) -> Any:
    """Return the exact lengths between all cities, shape (n, n), from the metric's `lengths()`."""
    a, b = np.divmod(np.arange(problem.n**2), problem.n)
    lengths = np.zeros(problem.n**2, problem.cost_dtype)
    apart = a != b
    lengths[apart] = problem.metric.lengths(problem.values, a[apart], b[apart])
    return lengths.reshape(problem.n, problem.n)


def _planar(points: Any, metric: Metric | str, name: str) -> TSP | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        try:
            return TSP(points, metric, name=name)
        except InvalidProblemError:
            return None
