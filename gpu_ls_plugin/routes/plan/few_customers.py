"""Optimal routes for few customers, by dynamic programming over subsets."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.routes.problem.giant_tours import most_routes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.core.problem import Problem

    Routes = list[list[int]]

MOST = 7  # maximum number of customers; their non-empty subsets have 13,699 orders in all


def are_few(problem: Problem) -> bool:
    """Return whether `best_routes` applies: few customers, and only hard, built-in constraints."""
    if not isinstance(problem, CVRP) or problem.customers > MOST:
        return False
    return problem.penalties is None and not problem.resources


def best_routes(problem: CVRP) -> Routes | None:
    """Return the cheapest feasible routes for few customers; None if no routes are feasible."""
    # Bit masks represent sets of customers. The keys of `by_first` are the lowest-numbered
    # customers of routes; those of `best` are the sets of customers served so far.
    by_first: dict[int, list[tuple[int, Any, list[int]]]] = {}
    for bits, cost, order in _single_routes(problem):
        by_first.setdefault(bits & -bits, []).append((bits, cost, order))
    everyone = (1 << problem.customers) - 1
    best: dict[int, tuple[Any, Routes]] = {0: (0, [])}
    for _ in range(min(most_routes(problem), problem.customers)):
        more = dict(best)
        for served, (cost, routes) in best.items():
            left = everyone & ~served
            for bits, way, order in by_first.get(left & -left, ()):
                both = served | bits
                if not bits & served and (both not in more or cost + way < more[both][0]):
                    more[both] = cost + way, [*routes, order]
        best = more
    return best[everyone][1] if everyone in best else None


def _single_routes(problem: CVRP) -> Iterator[tuple[int, Any, list[int]]]:
    """Yield the bit mask, least cost and best order of each set that one vehicle can serve."""
    nodes, limit = problem.nodes, problem.tolerated_limit
    everyone = range(1, problem.customers + 1)
    for size in everyone:
        for some in map(list, itertools.combinations(everyone, size)):
            if problem.demands[some].sum() > problem.capacity:
                continue
            orders = np.array(list(itertools.permutations(some)))
            depot = np.zeros((len(orders), 1), np.int64)
            ways = nodes.lengths(np.c_[depot, orders], np.c_[orders, depot]).sum(axis=1)
            least = int(ways.argmin())
            if limit is None or ways[least] + problem.service_times[some].sum() <= limit:
                bits = sum(1 << (customer - 1) for customer in some)
                yield bits, ways[least], orders[least].tolist()
