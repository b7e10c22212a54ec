"""Violations of individuals: their prices, and the customers in overfull routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    """Adaptive prices of excess load and duration, and the problems with these prices.

    Load and duration each have a factor, since one limit may be tight and the other not. A unit of
    excess load costs its factor times the longest length divided by the largest demand; a unit of
    excess duration costs its factor. A vehicle beyond the fleet costs more than it can save. `soft`
    is the problem for education, `repairing` the one for repair; `asked` is the problem whose
    constraints are to be kept.
    """

    def __init__(self, backend: Backend, asked: CVRP) -> None:
        self._backend, self._asked = backend, asked
        self._factors = {"load": FIRST}
        if asked.route_limit is not None:
            self._factors["duration"] = FIRST
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

    def keeping(self, tours: Any, costs: Any, feasible: Any) -> tuple[Any, ...]:
        """Return for each limit which of the judged tours (P, n) keep it, bool (P,)."""
        if self._by_load is None:
            return (feasible,)
        untimed = tour_costs(self._backend, self._by_load.tsp, tours)
        lengths = lengths_of(self._backend, self._asked.tsp, tours)
        pairs = ((untimed, lengths), (costs, untimed))
        return tuple(nothing_paid(*pair, FROM_SCRATCH) for pair in pairs)

    def _set(self) -> None:
        asked, prices = self._asked, self._prices(1)
        self.soft = asked.penalised(**prices)
        self.repairing = asked.penalised(**self._prices(REPAIR))
        # The problem with the same price of loads, but without a limit on durations.
        timed = asked.route_limit is not None
        self._by_load = asked.untimed.penalised(load=prices["load"]) if timed else None

    def _prices(self, times: int) -> dict[str, float]:
        asked = self._asked
        units = {"load": price_of_demand(asked), "duration": 1.0}
        prices = {name: times * factor * units[name] for name, factor in self._factors.items()}
        if asked.integer:
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

        Return None if durations are limited and there are more than `MOST_CUSTOMERS` nodes.
        """
        if self._limit is not None and self._lengths is None:
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
