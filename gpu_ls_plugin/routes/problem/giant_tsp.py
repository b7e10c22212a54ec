"""The cities and lengths of giant tours."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.routes.problem import giant_tours
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem
    from gpu_ls_plugin.tours.problem.tsp import Writing


class GiantTSP(TSP):
    """A depot, customers, and further copies of the depot, under the constraints of routes.

    Candidate lists are those of depot and customers: they name no copy of the depot but the first,
    which stands for all and is in all of them. Searches take an empty route's for it.
    """

    @classmethod
    def of(cls, problem: RoutedProblem, name: str, comment: str) -> TSP:
        """Return the giant tours' problem of a vehicle routing problem."""
        nodes = problem.nodes
        rows = np.r_[: nodes.n, np.zeros(problem.copies - 1, np.int64)]
        if nodes.coordinates is None:
            coordinates, matrix = None, nodes.values[np.ix_(rows, rows)]
        else:
            coordinates, matrix = nodes.coordinates[rows], None
        return cls._assemble(
            coordinates, matrix, nodes.metric, name, comment, None, Routing(problem)
        )

    @property
    def writing(self) -> Writing:
        """Which ways of writing a tour stand for the same solution: those of the same routes."""
        if not isinstance(self.objective, Routing):
            return super().writing
        customers = self.objective.problem.customers
        return {"symmetric": self.symmetric and not self.objective.directed, "customers": customers}

    @property
    def has_routes(self) -> bool:
        """Whether the tours are searched as routes, and not by their lengths alone."""
        return isinstance(self.objective, Routing)

    def routes(self, tour: Any) -> list[list[int]]:
        """Return the customers of each route of one giant tour; see `CVRP.routes`."""
        if not isinstance(self.objective, Routing):
            return super().routes(tour)
        row = self.check(tour, parameter="tour")[0]
        return giant_tours.routes_of(row, self.objective.problem.customers)

    @cached_property
    def crossed(self) -> TSP:
        """The problem by whose lengths recombinations cross tours, which know no constraints."""
        return self.under("length") if isinstance(self.objective, Routing) else self

    def canonical(self, tours: ArrayLike) -> NDArray[np.int32]:
        """Return giant tours as new rows, equal where their routes are."""
        if not isinstance(self.objective, Routing):
            return super().canonical(tours)
        return giant_tours.canonical(self.check(tours), **self.writing)

    def difference(self, tour: NDArray[Any]) -> Callable[[NDArray[Any]], float]:
        """Return a function that says which share of another tour's edges this one lacks."""
        if not isinstance(self.objective, Routing):
            return super().difference(tour)
        return giant_tours.new_edges(tour, **self.writing)

    def lists_by(self, build: Callable[[TSP], Any]) -> Any:
        """Return the candidate lists of depot and customers, and for further copies the depot's."""
        if not isinstance(self.objective, Routing):
            return super().lists_by(build)
        nodes = self.objective.problem.nodes
        lists = build(nodes)
        cities, lengths = lists.cities.copy(), lists.lengths.copy()
        if lists.degree > 1:
            lacking = np.flatnonzero((cities != 0).all(axis=1))
            lacking = lacking[lacking > 0]
            cities[lacking, -1] = 0
            lengths[lacking, -1] = nodes.lengths(lacking, np.zeros_like(lacking))
        rows = np.r_[: nodes.n, np.zeros(self.n - nodes.n, np.int64)]
        return type(lists)(cities[rows], lengths[rows])
