"""Paper 001 (Fosin, Davidović and Carić 2013): its figures, instances and searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.gaps import names

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin import TSP, IteratedLocalSearch, LocalSearch

SMALLEST, LARGEST = 70, 18_512  # cities of the instances of tables 1 and 3
LONGEST = ("pla33810", "pla85900")  # table 2
RUNS = 10  # of each instance
GROUPS = {"70-400": range(70, 400), "400-2000": range(400, 2000), "2000-18512": range(2000, 18_513)}
# Milliseconds of a CPU core and of the GPU; least, mean and greatest speedup.
TABLE_1 = {
    "70-400": (0.4371, 0.2670, (0.50, 1.64, 3.40)),
    "400-2000": (2.6222, 0.3561, (3.49, 7.36, 13.15)),
    "2000-18512": (17.1551, 1.6981, (7.46, 10.10, 21.07)),
}
TABLE_2 = {"pla33810": (92.4, 3.7, 24.55), "pla85900": (250.5, 9.1, 27.25)}
# Deviations on the CPU and on the GPU in percent; speedups as above.
TABLE_3 = {
    "2-opt": (5.21, 5.19, (0.13, 11.13, 17.50)),
    "3-opt": (4.58, 4.52, (0.50, 9.98, 19.28)),
    "0.1": (2.00, 2.00, (0.84, 8.38, 20.50)),  # kicks per city
    "1": (None, 0.78, None),
    "10": (None, 0.32, None),
}
OPTIMA, OF_INSTANCES = 26, 78  # instances whose optimum 10 n kicks found
KICKS_PER_CITY = (0.1, 1.0, 10.0)


def instances(most: int = LARGEST) -> list[str]:
    """Return the EUC_2D instances of tables 1 and 3 that are here, by number of cities."""
    return [name for name in names(SMALLEST, min(most, LARGEST)) if name != "linhp318"]


def read(name: str) -> TSP:
    """Read an instance again, so that it has no cached data."""
    import gpu_ls_plugin as gls

    return gls.TSP.read(common.require_instances() / f"{name}.tsp")


def descent(operator: str, *, best: bool) -> LocalSearch:
    """Return 2-opt or 3-opt on 40 quadrant neighbours; `best` is the paper's rule."""
    import gpu_ls_plugin as gls

    moves = {"2-opt": gls.TwoOpt, "3-opt": gls.ThreeOpt}[operator]
    return gls.LocalSearch([moves()], gls.Quadrant(40), gls.Best() if best else gls.First())


def iterated(*, best: bool) -> IteratedLocalSearch:
    """Return the paper's iterated search as Algorithm 1 has it: it continues from every optimum."""
    import gpu_ls_plugin as gls

    search, kick = descent("3-opt", best=best), gls.DoubleBridge()  # cuts all over the tour
    return gls.IteratedLocalSearch(search, kick, accept=gls.Always(), part=None)


@dataclass(frozen=True)
class Line:
    """An iterated search, and how its chains start."""

    title: str
    search: IteratedLocalSearch
    start: Callable[..., Any]
    kicks_per_city: tuple[float, ...] = KICKS_PER_CITY
    largest: int = LARGEST


def lines() -> dict[str, Line]:
    """Return the iterated searches that are compared: the paper's rules, and ours."""
    from dataclasses import replace

    import gpu_ls_plugin as gls

    from_nearest, greedy = gls.nearest_neighbour, gls.greedy
    kept = replace(iterated(best=False), accept=gls.BetterOrEqual())
    lists = gls.LocalSearch([gls.ThreeOpt()], gls.Alpha(5) | gls.Quadrant(8))
    deep = gls.LocalSearch([gls.LinKernighan(5)], gls.Alpha(5))
    return {
        "always": Line("3-opt, `First`, `Always`", iterated(best=False), from_nearest),
        "kept": Line("3-opt, `First`, `BetterOrEqual`", kept, from_nearest),
        "lists": Line(
            "the same, `Alpha(5) \\| Quadrant(8)`, greedy",
            replace(kept, search=lists),
            greedy,
        ),
        "lin_kernighan": Line(
            "Lin-Kernighan, `Annealing`",
            gls.IteratedLocalSearch(deep, accept=gls.Annealing()),
            greedy,
        ),
        "printed": Line(
            "3-opt, `Best`, `Always`", iterated(best=True), from_nearest, (0.1,), largest=4461
        ),
    }
