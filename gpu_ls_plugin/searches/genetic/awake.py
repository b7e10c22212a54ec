"""Which customers may have a move: of children of local optima, and of those to be repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.edge_keys import nodes_of

if TYPE_CHECKING:
    from gpu_ls_plugin.problems.cvrp import CVRP

MOST_CUSTOMERS = 2000  # of whose lengths a table is made


class Awake:
    """Customers of giant tours that may have a move.

    Parameters
    ----------
    xp : module
        NumPy or CuPy, whichever the tours belong to.
    problem : CVRP
    """

    def __init__(self, xp: Any, problem: CVRP) -> None:
        self._xp, self._problem = xp, problem
        self._demands = xp.asarray(problem.demands)
        self._services = xp.asarray(problem.service_times)
        self._limit, self._lengths = problem.route_limit, None
        nodes = problem.customers + 1
        if self._limit is not None and nodes <= MOST_CUSTOMERS:
            self._lengths = xp.asarray(problem.nodes.lengths(*np.indices((nodes, nodes))))

    def changed(self, tours: Any, parents: Any) -> Any:
        """Return who has other neighbours than in the parent, or a route that is overfull.

        Parameters
        ----------
        tours, parents : array, shape (P, n), integer
            Row by row.

        Returns
        -------
        bool array, shape (P, n)
            By the numbers of the customers.
        """
        found = (self._neighbours(tours) != self._neighbours(parents)).any(axis=0)
        return found | self._in_overfull(tours)

    def overfull(self, tours: Any) -> Any:
        """Return who is in a route beyond a limit, None where that is not known.

        Parameters
        ----------
        tours : array, shape (P, n), integer

        Returns
        -------
        bool array, shape (P, n), or None
            By the numbers of the customers.
        """
        unknown = self._limit is not None and self._lengths is None
        return None if unknown else self._in_overfull(tours)

    def _in_overfull(self, tours: Any) -> Any:
        xp, problem = self._xp, self._problem
        size, n = tours.shape
        nodes = nodes_of(xp, tours, problem.customers)
        rows = xp.arange(size)[:, None]
        begun = (nodes == 0).cumsum(axis=1)
        # What comes before the first copy of the depot is the end of the last route.
        routes = begun % begun[:, -1:] + rows * problem.copies

        def used(amounts: Any) -> Any:
            of_routes = xp.bincount(
                routes.ravel(), amounts.ravel(), minlength=size * problem.copies
            )
            return of_routes[routes]

        over = used(self._demands[nodes]) > problem.capacity
        if self._lengths is not None:
            driven = self._lengths[nodes, xp.roll(nodes, -1, axis=1)]
            over |= used(driven + self._services[nodes]) > self._limit
        found = xp.zeros((size, n), bool)
        found[rows, tours] = over & (nodes > 0)
        return found

    def _neighbours(self, tours: Any) -> Any:
        """Return the lower and the higher neighbour of each customer, shape (2, P, n)."""
        xp = self._xp
        nodes = nodes_of(xp, tours, self._problem.customers)
        around = xp.stack([xp.roll(nodes, step, axis=1) for step in (-1, 1)])
        around = xp.where(nodes > 0, xp.sort(around, axis=0), 0)
        found = xp.empty_like(around)
        found[:, xp.arange(len(tours))[:, None], tours] = around
        return found
