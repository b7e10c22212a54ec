"""The SWAP* neighbourhood (Vidal 2022)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.neighbourhoods.two_opt_star import TwoOptStar


@dataclass(frozen=True)
class SwapStar(TwoOptStar):
    """X."""

    name = "swap_star"
    header = "neighbourhoods/swap_star_move.cuh"

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return "gls::SwapStarMove"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 3."""
        return 3
