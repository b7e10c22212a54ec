"""Neighbourhoods that take out two or three edges: 2-opt (Croes 1958) and 3-opt (Lin 1965)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.tours.moves.base import Neighbourhood


@dataclass(frozen=True)
class TwoOpt(Neighbourhood):
    """Take out two edges and reconnect the tour the other way round: n (n - 3) / 2 moves."""

    name = "two_opt"
    header = "tours/moves/two_opt_move.cuh"

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return "gls::TwoOptMove"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 1: the first step determines the move."""
        return 1


@dataclass(frozen=True)
class ThreeOpt(Neighbourhood):
    """Take out three edges and reconnect the three paths in any other way; 2-opt is included.

    On candidates the moves are sequential: two of the new edges lead to candidates and the sum of
    the gains stays positive. That gives all four pure reconnections (Fosin et al. 2013, 4.2), both
    choices of t4. On asymmetric problems only the one that reverses no path (or-3opt) is left.
    """

    name = "three_opt"
    header = "tours/moves/three_opt_move.cuh"
    reverses = False

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return f"gls::ThreeOptMove<{str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return the 2-opt move, and three (asymmetric: one) for each candidate."""
        return 1 + 3 * degree if symmetric else degree
