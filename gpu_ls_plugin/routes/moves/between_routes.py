"""Neighbourhoods whose moves change several routes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.moves.base import Neighbourhood

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import TSP


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


@dataclass(frozen=True)
class TwoOptStar(BetweenRoutes):
    """Let the ends of two routes change places, or their beginnings.

    The other form, which joins the beginnings of two routes and their ends, is `TwoOpt` of the
    giant tour.
    """

    name = "two_opt_star"
    header = "routes/moves/two_opt_star_move.cuh"

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return "gls::TwoOptStarMove"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 1."""
        return 1


@dataclass(frozen=True)
class SwapStar(BetweenRoutes):
    """Let two customers change routes, each of which goes to its best place in the other's route.

    A customer is exchanged for a candidate in another route, or for one of the candidate's
    neighbours there. Each goes where it makes the route, which the other has left, longer by
    least: beside one of its candidates, first or last in the route, or in place of the other.

    Vidal (2022) looks at all pairs of customers of routes whose sectors overlap, and for each
    customer at the three cheapest places of the other route, which are kept between moves.
    Nothing is kept here, and the work of a pair does not depend on the lengths of routes.
    """

    name = "swap_star"
    header = "routes/moves/swap_star_move.cuh"

    @property
    def chooses(self) -> bool:
        """True: both customers look for their best places."""
        return True

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return f"gls::SwapStarMove<{str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 3: a candidate and its neighbours."""
        return 3
