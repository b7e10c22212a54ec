"""The 2-opt* neighbourhood (Potvin and Rousseau 1995)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.neighbourhoods.between_routes import BetweenRoutes


@dataclass(frozen=True)
class TwoOptStar(BetweenRoutes):
    """Let the ends of two routes change places, or their beginnings.

    The other form, which joins the beginnings of two routes and their ends, is `TwoOpt` of the
    giant tour.
    """

    name = "two_opt_star"
    header = "neighbourhoods/two_opt_star_move.cuh"

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return "gls::TwoOptStarMove"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 1."""
        return 1
