"""Neighbourhoods of moves between routes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.moves.base import Neighbourhood

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import TSP


class BetweenRoutes(Neighbourhood):
    """A neighbourhood of giant tours whose moves change routes."""

    reverses = False

    @property
    def deep(self) -> bool:
        """True: moves exchange four edges or more."""
        return True

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if tours have no routes."""
        super().check(problem)
        if not isinstance(problem.objective, Routing):
            raise UnsupportedProblemError(
                f"problem: {self.name} changes routes, and tours of {problem!r} have none; search "
                "a CVRP with it"
            )


@dataclass(frozen=True)
class TwoOptStar(BetweenRoutes):
    """Exchange the ends of two routes, or their beginnings.

    The other form of 2-opt*, which joins the beginnings of two routes and joins their ends, is
    `TwoOpt` on the giant tour.
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
    """Exchange two customers of two routes; each goes to the best place in the other's route.

    A customer is exchanged for a candidate in another route, or for one of the candidate's
    neighbours there. Each customer goes to the cheapest of these places: beside one of its
    candidates, first or last in the route, or where the other customer was.

    Vidal (2022) looks at all pairs of customers of routes whose sectors overlap, and for each
    customer at the three cheapest places of the other route, which are kept between moves.
    This neighbourhood keeps nothing, and the work for a pair does not depend on route lengths.
    """

    name = "swap_star"
    header = "routes/moves/swap_star_move.cuh"

    @property
    def chooses(self) -> bool:
        """True: a place is chosen for both customers."""
        return True

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return f"gls::SwapStarMove<{str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 3: a candidate and its neighbours."""
        return 3
