"""The SWAP* neighbourhood (Vidal 2022)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.neighbourhoods.between_routes import BetweenRoutes


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
    header = "neighbourhoods/swap_star_move.cuh"

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
