"""Every kernel of the CPU backend on small problems, to be run under sanitizers.

Cities are few, so that a step outside an array is soon made; the numbers of cities stand on both
sides of every length of a candidate list. Fails where a result is wrong.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.plugins.registry import registry
from gpu_ls_plugin.tours import sites
from tests.helpers.configurations import CUBIC, FILTERED, SEARCHES, two_opt_climb
from tests.helpers.random_problems import METRICS, random_problem, random_tours

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CITIES = (1, 2, 3, 4, 5, 6, 8, 9, 11, 33, 40)
LARGE = 300  # beyond the longest candidate list, with more moves than the climb keeps
ROWS = 2
EVERYTHING = ("EUC_2D",)  # metrics for which every search is run
CHAINED = ("EUC_2D", "EUC", "EXPLICIT")  # and those for which chains are


def searches(problem: gls.TSP) -> Iterable[gls.LocalSearch]:
    """The searches to run: all of them for some metrics, since each is compiled for each."""
    yield from (gls.LocalSearch(), *(two_opt_climb(most) for most in (1, 2, 32)))
    if problem.metric.name in EVERYTHING:
        for name, search in SEARCHES.items():
            if name not in CUBIC or problem.n < LARGE:  # and slow under a checker
                yield search


def iterated(problem: gls.TSP) -> Iterable[gls.IteratedLocalSearch]:
    """Chains of kicks, whole and on parts; each kernel takes the compiler ten seconds."""
    if problem.metric.name not in CHAINED:
        return
    search = gls.IteratedLocalSearch(restart_after=3)
    yield search
    if problem.metric.name in EVERYTHING:
        alone = replace(search, restart_after=None)
        yield replace(alone, cooperation=gls.EliteEdges(0.1, elite=2, most=1.0), part=32)
        local = gls.LocalSearch([gls.ThreeOpt()])
        walking = gls.DoubleBridge(walk=3)
        crossed = replace(alone, search=local, cooperation=gls.EdgeAssembly(0.1, 2, 8))
        yield replace(crossed, perturbation=walking, accept=gls.Better())


def run_all(problem: gls.TSP) -> None:
    """Run every construction, search and perturbation."""
    given = {"seed": 1, "backend": "cpu"}
    starts = [random_tours(problem.n, ROWS)]
    for part in registry.parts("construction"):
        if problem.coordinates is not None or part.name != "space_filling_curve":
            starts.append(part.factory(problem, ROWS, **given))
    for search in searches(problem):
        for tours in starts:
            result = search(problem, tours, **given)
            assert (result.costs == problem.cost(result.tours)).all()
            assert (result.costs <= problem.cost(tours)).all()
        search(problem, starts[0], budget=gls.Budget(moves=2), **given)
    if problem.metric.name in EVERYTHING and problem.n < LARGE:
        for search in FILTERED.values():
            best = gls.best_moves(search.neighbourhoods[0], problem, starts[0], 3, **given)
            assert (np.diff(best.gains) <= 0).all()
        children = gls.EdgeAssembly().cross(problem, starts[0], starts[-1], **given)
        assert (problem.cost(children) <= problem.cost(starts[0])).all()
    for chains in iterated(problem):
        result = chains(problem, starts[0], budget=gls.Budget(kicks=8), **given)
        assert (result.costs == problem.cost(result.tours)).all()
        assert (result.costs <= problem.cost(starts[0])).all()
    gls.RandomRestarts(climbs=5, keep=2)(problem, **given)
    if problem.n >= 6:
        for segment in (None, 6, 20):
            kicked = gls.DoubleBridge(segment).perturb(problem, starts[0], **given)
            assert (np.sort(kicked) == np.arange(problem.n)).all()


def main(metrics: Sequence[str]) -> None:
    """Run everything for some metrics, with ties, with duplicates and without."""
    for metric in metrics:
        for n in CITIES:
            run_all(random_problem(metric, n, span=6))
        for span in (2, 2_000_000):
            run_all(random_problem(metric, LARGE, span=span))
    sites.GRID_BACKENDS = ("cpu",)  # as on a GPU
    for span in (2, 200, 2_000_000):  # in parts
        problem = random_problem(metrics[0], LARGE, span=span)
        parted = gls.IteratedLocalSearch(part=64)
        parted(problem, random_tours(LARGE, ROWS), budget=gls.Budget(kicks=500), backend="cpu")
    print("all kernels done")


if __name__ == "__main__":
    main(sys.argv[1:] or METRICS)
