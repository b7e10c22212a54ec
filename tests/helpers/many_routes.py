"""Batches of small vehicle routing problems, as problems and as instances in common arrays."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.routes.many.instances import GivenInstances, RouteInstances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend


def problems_of(
    count: int, customers: int, metric: str = "EUC_2D", seed: int = 0
) -> list[gls.CVRP]:
    """Return random problems with rows of the same length."""
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(count):
        points = random.integers(0, 100, (customers + 1, 2))
        demands = np.r_[0, random.integers(1, 10, customers)]
        drawn.append((points, demands, int(random.integers(12, 30))))
    copies = max(gls.CVRP(*each).copies for each in drawn)
    return [gls.CVRP(*each, metric=metric, copies=copies) for each in drawn]


def instances_of(
    backend: Backend, problems: Sequence[gls.CVRP], grid: str = "", **options: Any
) -> RouteInstances:
    """Return the problems as instances."""
    xp = backend.xp
    given = GivenInstances(
        problems[0].nodes.metric,
        xp.asarray(np.stack([problem.nodes.coordinates for problem in problems])),
        xp.asarray(np.stack([problem.demands for problem in problems])),
        xp.asarray(np.array([problem.capacity for problem in problems])),
        problems[0].n,
        longest=max(problem.longest for problem in problems),
        grid=grid,
        **options,
    )
    return RouteInstances(backend, given)


def least_cost(problem: gls.CVRP) -> Any:
    """Return the cost of the optimum, by enumeration of orders and of the cuts of each order."""
    lengths = problem.nodes.lengths(*np.indices((problem.customers + 1,) * 2))
    best = np.inf
    for order in permutations(range(1, problem.customers + 1)):
        ends: list[Any] = [0] + [np.inf] * problem.customers
        for end in range(1, problem.customers + 1):
            for begin in range(end):
                route = order[begin:end]
                if problem.demands[list(route)].sum() <= problem.capacity:
                    stops = [0, *route, 0]
                    length = sum(lengths[a, b] for a, b in pairwise(stops))
                    ends[end] = min(ends[end], ends[begin] + length)
        best = min(best, ends[-1])
    return best
