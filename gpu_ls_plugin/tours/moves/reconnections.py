"""Neighbourhoods that replace two or three edges: 2-opt (Croes 1958) and 3-opt (Lin 1965)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.tours.moves.base import Neighbourhood


@dataclass(frozen=True)
class TwoOpt(Neighbourhood):
    """Remove two edges and reconnect the paths in the only other way (2-opt; Croes 1958).

    A tour of n cities has n (n - 3) / 2 such moves.
    """

    name = "two_opt"
    header = "tours/moves/two_opt_move.cuh"

    def functor(self, symmetric: bool) -> str:
        return "gls::TwoOptMove"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 1, since the first step determines the move."""
        return 1


@dataclass(frozen=True)
class ThreeOpt(Neighbourhood):
    """Remove three edges and reconnect the three paths in any other way (3-opt; Lin 1965).

    The moves include 2-opt. On candidate lists they are sequential: two of the new edges lead to
    candidates, and the partial sums of gains stay positive. At the candidate t3, either of its two
    edges may be removed, which yields all four pure reconnections: those that replace all three
    edges (Fosin et al. 2013, 4.2). On asymmetric problems only the reconnection that reverses no
    path (or-3opt) is used.
    """

    name = "three_opt"
    header = "tours/moves/three_opt_move.cuh"
    reverses = False

    def functor(self, symmetric: bool) -> str:
        return f"gls::ThreeOptMove<{str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 1 for 2-opt, plus 3 per candidate; on asymmetric problems, 1 per candidate."""
        return 1 + 3 * degree if symmetric else degree
