"""The 2-opt* neighbourhood (Potvin and Rousseau 1995)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.exceptions import UnsupportedProblemError
from gpu_ls_plugin.neighbourhoods.base import Neighbourhood
from gpu_ls_plugin.objectives.routing import Routing

if TYPE_CHECKING:
    from gpu_ls_plugin.problems.tsp import TSP


@dataclass(frozen=True)
class TwoOptStar(Neighbourhood):
    """Let the ends of two routes change places, or their beginnings.

    The other form, which joins the beginnings of two routes and their ends, is `TwoOpt` of the
    giant tour.
    """

    name = "two_opt_star"
    header = "neighbourhoods/two_opt_star_move.cuh"
    reverses = False

    @property
    def deep(self) -> bool:
        """True: moves exchange four edges."""
        return True

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return "gls::TwoOptStarMove"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 1."""
        return 1

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError where tours have no routes."""
        super().check(problem)
        if not isinstance(problem.objective, Routing):
            raise UnsupportedProblemError(
                f"problem: {self.name} exchanges ends of routes, and tours of {problem!r} have "
                "none; search a CVRP with it"
            )
