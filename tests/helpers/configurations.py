"""Local searches of each kind: one for each engine, neighbourhood, filter and pivoting rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gpu_ls_plugin as gls
from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.filters.base import Filter


def two_opt_climb(moves_per_pass: int = 1) -> gls.LocalSearch:
    """Exhaustive 2-opt."""
    return gls.LocalSearch([gls.TwoOpt()], All(), gls.Best(), moves_per_pass=moves_per_pass)


SPACES = {2: gls.TwoOpt(), 3: gls.ThreeOpt()}  # complete neighbourhoods, by the edges of a move
MODES = ("masked", "fused", "openings")  # of evaluating filtered moves


def filtered(
    edges: int,
    test: Filter,
    mode: str = "auto",
    rule: gls.Best | gls.First | None = None,
    mapping: str = "roots",
) -> gls.LocalSearch:
    """A search of the moves that a filter keeps; by default it applies the best of all moves."""
    part = gls.FilteredNeighbourhood(SPACES[edges], test, mode, mapping)
    return gls.LocalSearch([part], pivoting=rule or gls.Best())


QUEUES = {
    "2-opt": gls.LocalSearch([gls.TwoOpt()], Nearest(5)),
    "Or-opt": gls.LocalSearch([gls.OrOpt(2)], Nearest(3) | Alpha(4)),
    "3-opt": gls.LocalSearch([gls.ThreeOpt()], Nearest(5)),
    "Lin-Kernighan": gls.LocalSearch([gls.LinKernighan()], Alpha(5)),
    "Lin-Kernighan lead": gls.LocalSearch([gls.LinKernighanLead()], Nearest(8)),
    "Lin-Kernighan lead, first step": gls.LocalSearch(
        [gls.LinKernighanLead()], Nearest(8), gls.First("step")
    ),
    "exchanges": gls.LocalSearch([gls.Relocate(2), gls.Exchange(2, 1)], Nearest(6)),
}
TOGETHER = {
    "2-opt and Or-opt together": gls.LocalSearch(pivoting=gls.Multi()),
    "exchanges together": gls.LocalSearch(
        [gls.Relocate(2), gls.Exchange(2, 1)], Nearest(6), gls.Multi()
    ),
    "Lin-Kernighan together": gls.LocalSearch([gls.LinKernighan()], Alpha(5), gls.Multi(7)),
}
SWEEPS = {
    "2-opt and Or-opt sweeps": gls.LocalSearch(pivoting=gls.Best()),
    "Lin-Kernighan sweeps": gls.LocalSearch([gls.LinKernighan(3)], Alpha(5), gls.Best()),
}
EXHAUSTIVE = {
    "exhaustive 2-opt": two_opt_climb(),
    "exhaustive 2-opt, 8 moves": two_opt_climb(8),
    "exhaustive 3-opt": gls.LocalSearch([gls.ThreeOpt()], All(), gls.Best()),
}
RANDOM = {
    "random 2-opt": gls.LocalSearch([gls.TwoOpt()], All(), gls.RandomK(200)),
    "random 3-opt": gls.LocalSearch([gls.ThreeOpt()], All(), gls.RandomK(200)),
}
FILTERED = {
    "2-opt, masked": filtered(
        2, gls.Radius(60) | gls.RandomKeep(0.3), "masked", mapping="cut_triangle"
    ),
    "2-opt, fused": filtered(2, ~gls.Radius(20), "fused"),
    "3-opt, fused": filtered(
        3, gls.DontLook() & gls.Everything(), "fused", mapping="lexicographic"
    ),
    "3-opt, openings": filtered(3, gls.GainBound() & gls.InCandidates(Nearest(6)), "openings"),
}
SEARCHES = QUEUES | TOGETHER | SWEEPS | EXHAUSTIVE | RANDOM | FILTERED
# Their time is cubic in the number of cities.
CUBIC = ("exhaustive 3-opt", "3-opt, fused", "3-opt, openings")
# Searches whose moves do not reverse paths.
ASYMMETRIC = {
    "Or-opt": gls.LocalSearch([gls.OrOpt()]),
    "3-opt": gls.LocalSearch([gls.ThreeOpt()]),
    "3-opt and Or-opt together": gls.LocalSearch(
        [gls.ThreeOpt(), gls.OrOpt()], pivoting=gls.Multi()
    ),
    "3-opt and Or-opt sweeps": gls.LocalSearch([gls.ThreeOpt(), gls.OrOpt()], pivoting=gls.Best()),
}
