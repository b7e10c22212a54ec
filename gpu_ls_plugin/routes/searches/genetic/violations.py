"""Violations of individuals: their prices, and the customers in overfull routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.routes.engines.prices import keeping
from gpu_ls_plugin.routes.kernels.route_totals import route_totals
from gpu_ls_plugin.routes.problem.routing import MAX_PRICE, price_of_demand
from gpu_ls_plugin.tours.kernels.edge_keys import nodes_of
from gpu_ls_plugin.tours.kernels.evaluation import (
    FROM_SCRATCH,
    lengths_of,
    nothing_paid,
    tour_costs,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.routes.problem.cvrp import CVRP

FIRST, LEAST, MOST = 1.0, 1 / 64, 64.0  # initial, minimum and maximum factor of a price
RISE, FALL = 1.2, 0.85  # multipliers of a factor if too few, or too many, children keep the limit
NEAR = 0.05  # tolerated deviation of the share of children that keep a limit
REPAIR = 10  # prices are multiplied by this for repairs
MOST_CUSTOMERS = 2000  # maximum number of nodes for which a table of lengths is made


class Prices:
    """Adaptive prices of the excess over each limit, and the problems with these prices.

    Each limit has a factor, since one may be tight and another not. A unit of excess load costs its
    factor times the longest length divided by the largest demand; a unit of excess duration costs
    its factor, and a unit of a further resource its factor times `Resource.soft_price`. A vehicle
    beyond the fleet, and resources without such a price, cost more than they can save. `soft` is
    the problem for education, `repairing` the one for repair; `asked` is the problem whose
    constraints are to be kept.
    """

    def __init__(self, backend: Backend, asked: CVRP) -> None:
        self._backend, self._asked = backend, asked
        self._units = {"load": price_of_demand(asked)}
        if asked.route_limit is not None:
            self._units["duration"] = 1.0
        for part in asked.resources:
            if (price := part.soft_price(asked)) is not None:
                self._units[part.name] = price
        self._factors = dict.fromkeys(self._units, FIRST)
        self._set()

    def follow(self, shares: Iterable[float], wanted: float) -> None:
        """Change each price to bring the share of children that keep its limit near `wanted`."""
        for name, share in zip(self._factors, shares, strict=True):
            if abs(share - wanted) > NEAR:
                factor = self._factors[name] * (RISE if share < wanted else FALL)
                self._factors[name] = min(max(factor, LEAST), MOST)
        self._set()

    def judge(self, tours: Any) -> tuple[Any, Any, Any]:
        """Return the costs of tours (P, n) at these prices, their lengths and feasibility."""
        costs = tour_costs(self._backend, self.soft.tsp, tours)
        lengths = lengths_of(self._backend, self._asked.tsp, tours)
        return costs, lengths, nothing_paid(costs, lengths, FROM_SCRATCH)

    def keeping(self, tours: Any, feasible: Any) -> tuple[Any, ...]:
        """Return for each limit which of the judged tours (P, n) keep it, bool (P,)."""
        kept = keeping(self._backend, self.soft.tsp, tours, feasible)
        return tuple(kept[name] for name in self._units)

    def _set(self) -> None:
        self.soft = self._asked.penalised(**self._prices(1))
        self.repairing = self._asked.penalised(**self._prices(REPAIR))

    def _prices(self, times: int) -> dict[str, float]:
        units = self._units
        prices = {name: times * factor * units[name] for name, factor in self._factors.items()}
        if self._asked.integer:
            return {name: max(1, round(min(price, MAX_PRICE))) for name, price in prices.items()}
        return prices


class Overfull:
    """Customers of giant tours whose routes carry too much or take too long."""

    def __init__(self, xp: Any, problem: CVRP) -> None:
        self._xp, self._problem = xp, problem
        self._demands = xp.asarray(problem.demands)
        self._services = xp.asarray(problem.service_times)
        nodes, self._lengths = problem.customers + 1, None
        self._limit = problem.tolerated_limit
        if self._limit is not None and nodes <= MOST_CUSTOMERS:
            self._lengths = xp.asarray(problem.nodes.lengths(*np.indices((nodes, nodes))))

    def __call__(self, tours: Any) -> Any:
        """Return whether each node of tours (P, n) is a customer of an overfull route, bool (P, n).

        Return None if durations are limited and there are more than `MOST_CUSTOMERS` nodes, and if
        there are further resources.
        """
        if self._problem.resources or (self._limit is not None and self._lengths is None):
            return None
        xp, problem = self._xp, self._problem
        size, n = tours.shape
        nodes = nodes_of(xp, tours, problem.customers)
        (load,) = route_totals(xp, nodes, problem.copies, self._demands[nodes])
        over = load > problem.capacity
        if self._lengths is not None:
            takes = self._lengths[nodes, xp.roll(nodes, -1, axis=1)] + self._services[nodes]
            (duration,) = route_totals(xp, nodes, problem.copies, takes)
            over |= duration > self._limit
        found = xp.zeros((size, n), bool)
        found[xp.arange(size)[:, None], tours] = over & (nodes > 0)
        return found
