"""Which customers are in routes beyond a limit: those at whom a repair looks first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.routes.kernels.route_totals import route_totals
from gpu_ls_plugin.tours.kernels.edge_keys import nodes_of

if TYPE_CHECKING:
    from gpu_ls_plugin.routes.problem.cvrp import CVRP

MOST_CUSTOMERS = 2000  # of whose lengths a table is made


class Overfull:
    """Customers of giant tours whose routes carry too much, or take too long."""

    def __init__(self, xp: Any, problem: CVRP) -> None:
        self._xp, self._problem = xp, problem
        self._demands = xp.asarray(problem.demands)
        self._services = xp.asarray(problem.service_times)
        nodes, self._lengths = problem.customers + 1, None
        self._limit = problem.tolerated_limit
        if self._limit is not None and nodes <= MOST_CUSTOMERS:
            self._lengths = xp.asarray(problem.nodes.lengths(*np.indices((nodes, nodes))))

    def __call__(self, tours: Any) -> Any:
        """Return who is in such a route of tours (P, n), by customers; None if not known."""
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
