"""The TSP whose tours are giant tours."""

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
    """The TSP on the customers and all copies of the depot, under the constraints of routes.

    Candidate lists are built for the depot and the customers. Each list contains the depot as node
    0; searches replace it with a copy of the depot at which an empty route begins. Under another
    objective, the problem becomes a plain TSP.
    """

    objective: Routing

    @classmethod
    def _assemble(cls, *content: Any) -> Any:
        if isinstance(content[-1], Routing):
            return super()._assemble(*content)
        return TSP._assemble(*content)

    @classmethod
    def of(cls, problem: RoutedProblem, name: str, comment: str) -> TSP:
        """Return the TSP of giant tours for a vehicle routing problem."""
        nodes = problem.nodes
        rows = np.r_[: nodes.n, np.zeros(problem.copies - 1, np.int64)]
        if nodes.coordinates is None:
            coordinates, matrix = None, nodes.values[np.ix_(rows, rows)]
        else:
            coordinates, matrix = nodes.coordinates[rows], None
        content = (coordinates, matrix, nodes.metric, name, comment)
        made: TSP = cls._assemble(*content, None, Routing(problem))
        return made

    @property
    def writing(self) -> Writing:
        """The rules for which giant tours represent the same solution; see `Writing`."""
        customers = self.objective.problem.customers
        return {"symmetric": self.symmetric and not self.objective.directed, "customers": customers}

    @property
    def has_routes(self) -> bool:
        return True

    def routes(self, tour: Any) -> list[list[int]]:
        row = self.check(tour, parameter="tour")[0]
        return giant_tours.routes_of(row, self.objective.problem.customers)

    def published(self, cost: Any) -> Any:
        return self.objective.problem.published(cost)

    @cached_property
    def crossed(self) -> TSP:
        """The same TSP without constraints, for recombinations that ignore them."""
        return self.under("length")

    def canonical(self, tours: ArrayLike) -> NDArray[np.int32]:
        return giant_tours.canonical(self.check(tours), **self.writing)

    def difference(self, tour: NDArray[Any]) -> Callable[[NDArray[Any]], float]:
        return giant_tours.new_edges(tour, **self.writing)

    def lists_by(self, build: Callable[[TSP], Any]) -> Any:
        """Return candidate lists of all nodes: each copy of the depot has the list of the depot."""
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
