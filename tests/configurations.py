"""Local searches of every kind: one for each engine, neighbourhood and pivoting rule, beside the
default.
"""

from __future__ import annotations

import gpu_ls_plugin as gls
from gpu_ls_plugin.candidates import All, Alpha, Nearest


def two_opt_climb(moves_per_pass: int = 1) -> gls.LocalSearch:
    """Exhaustive 2-opt."""
    return gls.LocalSearch([gls.TwoOpt()], All(), gls.Best(), moves_per_pass=moves_per_pass)


QUEUES = {
    "2-opt": gls.LocalSearch([gls.TwoOpt()], Nearest(5)),
    "Or-opt": gls.LocalSearch([gls.OrOpt(2)], Nearest(3) | Alpha(4)),
    "3-opt": gls.LocalSearch([gls.ThreeOpt()], Nearest(5)),
    "Lin-Kernighan": gls.LocalSearch([gls.LinKernighan()], Alpha(5)),
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
SEARCHES = QUEUES | SWEEPS | EXHAUSTIVE | RANDOM
# None of these moves reverses a path on an asymmetric problem.
ASYMMETRIC = {
    "Or-opt": gls.LocalSearch([gls.OrOpt()]),
    "3-opt": gls.LocalSearch([gls.ThreeOpt()]),
    "3-opt and Or-opt sweeps": gls.LocalSearch([gls.ThreeOpt(), gls.OrOpt()], pivoting=gls.Best()),
}
