"""The base class of crossovers of routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.crossovers.base import Recombination

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.tsp import TSP


class RouteRecombination(Recombination):
    """A crossover of two giant tours that takes vehicles, loads or durations into account.

    Chains can cooperate through such a crossover only if constraints are hard: under soft
    constraints, a child that is cheaper than a chain's best tour may be infeasible.
    """

    reverses = False

    def instance(self, problem: Problem) -> TSP:
        """Return the giant tours of a problem: crossovers of routes read its constraints."""
        return self.tours_of(problem)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if chains cannot cooperate through this crossover."""
        super().check(problem)
        if routing_problem(problem).penalties is not None:
            raise UnsupportedProblemError(
                f"cooperation: {type(self).__name__}() cannot tell feasible tours from others if "
                "constraints are soft; use PricedMigration()"
            )

    def _check(self, problem: TSP, parameter: str, remedy: str) -> None:
        routing_problem(problem)
        self._check_direction(problem, parameter, remedy)
