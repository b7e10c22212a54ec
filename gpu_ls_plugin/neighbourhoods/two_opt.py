"""The 2-opt neighbourhood (Croes 1958)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.neighbourhoods.base import Neighbourhood


@dataclass(frozen=True)
class TwoOpt(Neighbourhood):
    """Take out two edges and reconnect the tour the other way round: n (n - 3) / 2 moves."""

    name = "two_opt"
    header = "neighbourhoods/two_opt_move.cuh"

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return "gls::TwoOptMove"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 1: the first step determines the move."""
        return 1
