"""Small problems and searches of them, for cases of versions; they use public names alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

REPAIR = gls.LocalSearch([gls.RouteMoves()], gls.Nearest(20))
CHAINS = gls.IteratedLocalSearch(gls.LocalSearch([gls.LinKernighan(3)], gls.Nearest(8)))
LINKED = gls.IteratedLocalSearch(
    REPAIR,
    gls.StringRemoval(),
    accept=gls.Annealing(0.3, 0.01),
    cooperation=gls.PricedMigration(0.2, 0.4),
)
GENETIC = gls.HybridGeneticSearch(size=6, children=6)


def cities(n: int, metric: str = "EUC_2D") -> gls.TSP:
    """Return cities, uniform in a square."""
    side = 80 if metric == "GEO" else 1000
    places = np.random.default_rng(n).integers(0, side, (n, 2))
    return gls.TSP(places, metric, name=f"{metric}-{n}")


def matrix(n: int, *, symmetric: bool = True, real: bool = False) -> gls.TSP:
    """Return random lengths."""
    lengths = np.random.default_rng(n).integers(1, 99, (n, n)).astype(float if real else int)
    lengths += lengths.T + (0.5 if real else 0) if symmetric else 0
    return gls.TSP.from_matrix(lengths, name=f"matrix-{n}")


def rows(n: int, size: int) -> NDArray[np.int32]:
    """Return random permutations, made without the library."""
    some = np.tile(np.arange(n, dtype=np.int32), (size, 1))
    return np.random.default_rng([7, n]).permuted(some, axis=1)


def routes(customers: int, kind: str = "capacity", capacity: int = 40) -> gls.CVRP:
    """Return routes with a capacity, and other constraints by kind."""
    random = np.random.default_rng(customers)
    demands = np.r_[0, random.integers(1, 10, customers)]
    points = random.integers(0, 100, (customers + 1, 2))
    least = -(-int(demands.sum()) // capacity)
    if kind == "directed":
        far = np.hypot(*(points[:, None] - points).T)
        lengths = (far * random.uniform(0.8, 1.2, far.shape)).astype(int)
        return gls.CVRP.from_matrix(lengths, demands, capacity, copies=customers)
    given: dict[str, Any] = {
        "capacity": {},
        "real": {"metric": "EUC"},
        "duration": {"route_limit": 270, "service_times": 3},
        "fleet": {"vehicles": least + 2},
    }[kind]
    return gls.CVRP(points, demands, capacity, **given)


def scarce(groups: int = 1) -> gls.CVRP:
    """Return routes whose vehicles only good solutions can fill: savings need one more."""
    places = np.random.default_rng(4).integers(0, 100, (12 * groups + 1, 2))
    demands = [0, *[6, 6, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4] * groups]
    return gls.CVRP(places, demands, 15, vehicles=5 * groups)


def tight(groups: int, kind: str = "few") -> gls.CVRP:
    """Return routes that need more vehicles than demands suggest, unless a search reduces them."""
    least, most, capacity, limit = {
        "few": (4, 7, 15, None),
        "several": (6, 12, 25, None),
        "limited": (1, 3, 15, 200),
    }[kind]
    random = np.random.default_rng(0 if kind != "several" else 2)
    places = random.integers(0, 100, (12 * groups + 1, 2))
    demands = np.r_[0, random.integers(least, most, 12 * groups)]
    return gls.CVRP(places, demands, capacity, route_limit=limit)


def assignments() -> dict[str, gls.Assignment]:
    """Return an assignment problem of each kind."""
    return {
        "QAP": gls.QuadraticAssignment.generated(20, seed=3),
        "GAP": gls.GeneralisedAssignment.generated("D", 60, 10, seed=3),
        "colouring": gls.GraphColouring.random(90, 0.4, 11, seed=3),
    }


def on_one_core(call: Callable[[], Any]) -> Any:
    """Return the result of a call that searches the parts of its routes one after the other."""
    with mock.patch.dict(os.environ, GPU_LS_THREADS="1"):
        return call()
