"""The optimal lengths of TSPLIB's instances, and data by which to recognise them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem

# Source of all optima: the lists of optimal solutions of TSPLIB95 (STSP and ATSP), Heidelberg.
# Name, number of cities, edge weight type, length of the tour 1, 2, ..., n, and optimum. The length
# of that tour distinguishes an instance from an altered one with the same name.
MEASURED = """
a280 280 EUC_2D 2808 2579, ali535 535 GEO 3370080 202339, att48 48 ATT 49840 10628,
bayg29 29 EXPLICIT 4625 1610, bays29 29 EXPLICIT 5752 2020, berlin52 52 EUC_2D 22205 7542,
bier127 127 EUC_2D 393989 118282, brazil58 58 EXPLICIT 129267 25395,
brg180 180 EXPLICIT 118860 1950, burma14 14 GEO 4562 3323, ch130 130 EUC_2D 47797 6110,
d1291 1291 EUC_2D 150852 50801, d15112 15112 EUC_2D 112310765 1573084,
d18512 18512 EUC_2D 29460538 645238, d198 198 EUC_2D 22498 15780, d2103 2103 EUC_2D 141310 80450,
d493 493 EUC_2D 113549 35002, d657 657 EUC_2D 232159 48912, dantzig42 42 EXPLICIT 699 699,
eil51 51 EUC_2D 1308 426, eil76 76 EUC_2D 1969 538, fl1400 1400 EUC_2D 172735 20127,
fl1577 1577 EUC_2D 51304 22249, fl417 417 EUC_2D 55445 11861, fnl4461 4461 EUC_2D 5872302 182566,
fri26 26 EXPLICIT 1140 937, gil262 262 EUC_2D 26298 2378, gr137 137 GEO 97113 69853,
gr17 17 EXPLICIT 4722 2085, gr202 202 GEO 58150 40160, gr21 21 EXPLICIT 6620 2707,
gr229 229 GEO 179819 134602, gr24 24 EXPLICIT 3436 1272, gr48 48 EXPLICIT 19837 5046,
gr666 666 GEO 423710 294358, gr96 96 GEO 81007 55209, hk48 48 EXPLICIT 48170 11461,
kroA100 100 EUC_2D 191387 21282, kroA150 150 EUC_2D 287844 26524, kroA200 200 EUC_2D 373938 29368,
kroB100 100 EUC_2D 157190 22141, kroB200 200 EUC_2D 327456 29437, kroC100 100 EUC_2D 183466 20749,
kroD100 100 EUC_2D 170990 21294, kroE100 100 EUC_2D 188351 22068, lin105 105 EUC_2D 36480 14379,
lin318 318 EUC_2D 119872 42029, nrw1379 1379 EUC_2D 712343 56638, p654 654 EUC_2D 107737 34643,
pcb1173 1173 EUC_2D 123837 56892, pcb3038 3038 EUC_2D 295793 137694, pcb442 442 EUC_2D 221440 50778,
pla33810 33810 CEIL_2D 229019840 66048945, pla7397 7397 CEIL_2D 194900537 23260728,
pla85900 85900 CEIL_2D 500849047 142382641, pr1002 1002 EUC_2D 349403 259045,
pr107 107 EUC_2D 62752 44303, pr124 124 EUC_2D 98941 59030, pr136 136 EUC_2D 287028 96772,
pr144 144 EUC_2D 93526 58537, pr152 152 EUC_2D 160980 73682, pr226 226 EUC_2D 110417 80369,
pr2392 2392 EUC_2D 378032 378032, pr264 264 EUC_2D 77977 49135, pr299 299 EUC_2D 83506 48191,
pr76 76 EUC_2D 150781 108159, rat195 195 EUC_2D 4030 2323, rat575 575 EUC_2D 12934 6773,
rat783 783 EUC_2D 72134 8806, rat99 99 EUC_2D 2124 1211, rd100 100 EUC_2D 50560 7910,
rd400 400 EUC_2D 215558 15281, rl11849 11849 EUC_2D 86621277 923288,
rl1304 1304 EUC_2D 3231694 252948, rl1323 1323 EUC_2D 3088190 270199,
rl1889 1889 EUC_2D 6601280 316536, rl5915 5915 EUC_2D 10145025 565530,
si1032 1032 EXPLICIT 157378 92650, si175 175 EXPLICIT 26361 21407, st70 70 EUC_2D 3410 675,
swiss42 42 EXPLICIT 2834 1273, ts225 225 EUC_2D 276540 126643, u1060 1060 EUC_2D 260174 224094,
u1432 1432 EUC_2D 183070 152970, u159 159 EUC_2D 43381 42080, u1817 1817 EUC_2D 71460 57201,
u2319 2319 EUC_2D 281496 234256, u574 574 EUC_2D 40197 36905, ulysses16 16 GEO 9665 6859,
ulysses22 22 GEO 12198 7013, usa13509 13509 EUC_2D 1590833042 19982859,
vm1748 1748 EUC_2D 10005342 336556
"""

# Names and optima of other instances, which are recognised only by name.
SYMMETRIC = """
ch150 6528, eil101 629, kroB150 26130, brd14051 469385, d1655 62128, fl3795 28772, gr120 6942,
gr431 171414, pa561 2763, pr439 107217, rl5934 556045, si535 48450, tsp225 3916, u724 41910,
u2152 64253, vm1084 239297
"""
ASYMMETRIC = """
br17 39, ft53 6905, ft70 38673, ftv33 1286, ftv35 1473, ftv38 1530, ftv44 1613, ftv47 1776,
ftv55 1608, ftv64 1839, ftv70 1950, ftv170 2755, kro124p 36230, p43 5620, rbg323 1326, rbg358
1163, rbg403 2465, rbg443 2720, ry48p 14422
"""


def known_optimum(problem: Problem | str) -> int | None:
    """Return the optimal length of a TSPLIB instance, or None if it is not known.

    Parameters
    ----------
    problem : str or Problem
        The name of an instance, such as ``"rat783"``, or a problem. A problem counts as an
        instance if its name, its number of cities, its metric and the length of the tour
        1, 2, ..., n match the published file.

    Raises
    ------
    InvalidTypeError
        `problem` is neither a name nor a problem.

    Notes
    -----
    `solve` does not call this function. To stop at the optimum, pass
    ``target=known_optimum(problem)``.
    """
    if isinstance(problem, str):
        return all_optima().get(problem.strip().lower())
    if not hasattr(problem, "cost"):
        raise InvalidTypeError(f"problem: {problem!r:.80} is neither a name nor a problem")
    if type(problem) is not TSP or not problem.objective.length_alone or problem.rows is not None:
        return None
    known = measured_instances().get((problem.name or "").strip().lower())
    if known is None:
        return None
    n, metric, length, optimum = known
    if (problem.n, problem.metric.name) != (n, metric):
        return None
    return optimum if int(problem.cost(np.arange(n))[0]) == length else None


@cache
def measured_instances() -> dict[str, tuple[int, str, int, int]]:
    """Return (n, metric, length of tour 1, 2, ..., n, optimum) by name in lower case."""
    rows = (row.split() for row in MEASURED.split(","))
    return {
        name.lower(): (int(n), kind, int(length), int(best)) for name, n, kind, length, best in rows
    }


@cache
def all_optima() -> dict[str, int]:
    """Return all optima by name in lower case."""
    pairs = (pair.split() for text in (SYMMETRIC, ASYMMETRIC) for pair in text.split(","))
    named = {name.lower(): int(best) for name, best in pairs}
    return named | {name: best for name, (*_, best) in measured_instances().items()}
