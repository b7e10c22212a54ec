"""What neighbourhoods share whose moves change several routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.exceptions import UnsupportedProblemError
from gpu_ls_plugin.neighbourhoods.base import Neighbourhood
from gpu_ls_plugin.objectives.routing import Routing

if TYPE_CHECKING:
    from gpu_ls_plugin.problems.tsp import TSP


class BetweenRoutes(Neighbourhood):
    """A neighbourhood of giant tours: what its moves change are routes."""

    reverses = False

    @property
    def deep(self) -> bool:
        """True: moves exchange four edges or more."""
        return True

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError where tours have no routes."""
        super().check(problem)
        if not isinstance(problem.objective, Routing):
            raise UnsupportedProblemError(
                f"problem: {self.name} changes routes, and tours of {problem!r} have none; search "
                "a CVRP with it"
            )
