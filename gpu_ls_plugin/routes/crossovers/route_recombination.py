"""Recombinations of routes: children that are made of the routes of giant tours."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.routes.construction.batch import RouteBatch
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.crossovers.base import Recombination
from gpu_ls_plugin.tours.crossovers.workspace import CostlessWorkspace

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP


class RouteRecombination(Recombination):
    """A way to make a child of two giant tours that knows of vehicles, loads and durations.

    As a cooperation it is for hard constraints: where they are soft, a child that is cheaper than a
    chain's best tour need not be feasible.
    """

    reverses = False

    def instance(self, problem: TSP) -> TSP:
        """Return the problem on which tours are crossed: with its constraints."""
        return problem

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError where chains of a problem cannot be crossed."""
        super().check(problem)
        if routing_problem(problem).penalties is not None:
            raise UnsupportedProblemError(
                f"cooperation: {type(self).__name__}() does not know which tours are feasible "
                "where constraints are soft; use RouteExchange()"
            )

    def _check(self, problem: TSP, parameter: str, remedy: str) -> None:
        routing_problem(problem)
        self._check_direction(problem, parameter, remedy)


class RouteWorkspace(CostlessWorkspace):
    """A recombination of giant tours that leaves routes in a `RouteBatch` of one size."""

    def __init__(self, backend: Backend, problem: TSP, size: int) -> None:
        self.backend, self.problem = backend, problem
        self.routes = RouteBatch(backend, routing_problem(problem), size)

    @abstractmethod
    def fill(self, first: Any, second: Any, partners: Any, generation: int, seconds: float) -> None:
        """Fill the routes of the children in; of rows that are left out, none begins."""

    def made(self, first: Any, second: Any, partners: Any, generation: int, seconds: float) -> Any:
        """Return the giant tours of the children; first parents where none was made."""
        xp, routes = self.backend.xp, self.routes
        routes.begins[...] = 0
        self.fill(first, second, partners, generation, seconds)
        left_out = ~routes.begins.any(axis=1)
        tours = routes.tours()
        xp.copyto(tours, first, where=left_out[:, None])
        return tours
