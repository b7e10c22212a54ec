"""Small runs of every kernel, to be watched by compute-sanitizer.

Cities are few and batches small, because a checker slows kernels down a hundred times; the numbers
of cities stand on both sides of every block and tile size. Memory comes from plain allocations,
so that a step beyond an array is seen, not absorbed by a pool.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from benchmarks.helpers import common
from benchmarks.peers.plain_two_opt import PlainTwoOpt

SIZES = (5, 8, 33, 127, 300)
PLANAR = ("EUC_2D", "EUC", "CEIL_2D", "ATT", "GEO", "MAN_2D", "MAX_2D")
TOURS = 3
LAYOUT_SIZES = (129, 300, 600, 1100, 1300, 1600, 2048, 5000)  # the search is laid out by n
SMALLEST_BRIDGE = 6
CHAIN_SIZES = range(8, 128)
KICKS = 5
# Warps of a block, blocks of a multiprocessor; the last: blocks hold the tours.
CHAIN_SHAPES = (((16, 2),), ((7, 1),), ((1, 1),), ())
FILTERED_CITIES = range(5, 128)
FILTERED_METRICS = ("EUC_2D", "EUC")  # each takes the compiler a minute
MOVES = 3
RUNS = ("all", "chains", "filtered", "shapes")


def problems(n: int, metrics: tuple[str, ...]) -> list[Any]:
    """Return a problem of n cities per metric, and one of each kind of matrix."""
    import gpu_ls_plugin as gls

    random = np.random.default_rng(n)
    made = [gls.TSP(random.integers(0, 80, (n, 2)), metric) for metric in metrics]
    matrix = random.integers(1, 1000, (n, n))
    return [*made, *(gls.TSP.from_matrix((matrix + matrix.T).astype(t)) for t in ("i4", "f8"))]


def exhaustive(moves_per_pass: int) -> Any:
    """Return exhaustive 2-opt."""
    import gpu_ls_plugin as gls

    return gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best(), moves_per_pass=moves_per_pass)


def foreign_search(neighbourhood: Any) -> Any:
    """Return a search whose neighbourhood is checked, since its class is not the library's."""
    import gpu_ls_plugin as gls

    theirs = type("Theirs", (type(neighbourhood),), {})
    return gls.LocalSearch([theirs()], pivoting=gls.Multi())


def run_all(problem: Any, backend: str) -> int:
    """Run every construction, search and perturbation once; return the number of calls."""
    import gpu_ls_plugin as gls

    starts = [
        construct(problem, TOURS, seed=1, backend=backend)
        for construct in (gls.random_tours, gls.nearest_neighbour, gls.greedy)
    ]
    if problem.coordinates is not None:
        starts.append(gls.space_filling_curve(problem, TOURS, seed=1, backend=backend))
    calls = len(starts)
    together, theirs = gls.LocalSearch(pivoting=gls.Multi()), foreign_search(gls.OrOpt())
    for search in (exhaustive(1), exhaustive(8), gls.LocalSearch(), together, theirs):
        for tours in starts:
            result = search(problem, tours, backend=backend)
            assert (result.costs == problem.cost(result.tours)).all()
            calls += 1
    gls.RandomRestarts(exhaustive(1), climbs=4, keep=2)(problem, seed=1, backend=backend)
    if problem.n >= SMALLEST_BRIDGE:
        for segment in (None, 6, 30):
            bridge = gls.DoubleBridge(segment=segment)
            bridge.perturb(problem, starts[0], seed=1, backend=backend)
            calls += 1
    return calls + 1


def chains() -> list[Any]:
    """Return iterated searches that hold every acceptance rule and kick."""
    import gpu_ls_plugin as gls

    usual, steps = gls.LocalSearch(), gls.LocalSearch([gls.LinKernighan(5)], gls.Nearest(5))
    return [
        gls.IteratedLocalSearch(),
        gls.IteratedLocalSearch(usual, gls.DoubleBridge(walk=3), gls.Better()),
        gls.IteratedLocalSearch(usual, gls.DoubleBridge(), gls.Threshold(), restart_after=2),
        gls.IteratedLocalSearch(steps, accept=gls.BetterOrEqual(), cooperation=gls.Migration(0.05)),
        gls.IteratedLocalSearch(steps, gls.Restart(), gls.Always()),
        gls.IteratedLocalSearch(usual, cooperation=gls.EliteEdges(0.05, most=1.0)),
        gls.IteratedLocalSearch(usual, cooperation=gls.EdgeAssembly(0.05, 2, 8)),
    ]


def run_chains(problem: Any, backend: str) -> int:
    """Kick a few times, in all layouts of a block; return the number of calls."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.searches.chains import chain_layouts

    starts, calls = gls.random_tours(problem, TOURS, seed=1, backend=backend), 0
    budget = gls.Budget(kicks=KICKS)
    layouts = chain_layouts.CHAIN_WARPS
    try:
        for shapes in (layouts, *(dict.fromkeys(layouts, shape) for shape in CHAIN_SHAPES)):
            chain_layouts.CHAIN_WARPS = shapes
            for search in chains() if shapes == layouts else chains()[:2]:
                result = search(problem, starts, budget=budget, backend=backend)
                assert (result.costs == problem.cost(result.tours)).all()
                assert (result.costs <= problem.cost(starts)).all()
                calls += 1
    finally:
        chain_layouts.CHAIN_WARPS = layouts
    return calls


def filtered() -> list[Any]:
    """Return searches of both neighbourhoods in all modes, which hold every filter and mapping."""
    import gpu_ls_plugin as gls

    tests = {
        "masked": gls.RandomKeep(0.3) | gls.Radius(10),
        "compact": gls.DontLook() & ~gls.Radius(2),
        "fused": gls.Everything(),
        "openings": gls.GainBound() & gls.InCandidates(gls.Nearest(5)),
    }
    mappings = {
        gls.TwoOpt(): ("cut_triangle", "lexicographic", "bisection", "roots"),
        gls.ThreeOpt(): ("table", "newton", "lexicographic", "roots"),
    }
    return [
        gls.LocalSearch([gls.FilteredNeighbourhood(space, test, mode, mapping)], pivoting=rule)
        for space, fitting in mappings.items()
        for (mode, test), mapping in zip(tests.items(), fitting, strict=True)
        for rule in (gls.Best(), gls.First())
    ]


def run_filtered(problem: Any, backend: str) -> int:
    """Make a few moves of each filtered neighbourhood; return the number of calls."""
    import gpu_ls_plugin as gls

    starts, calls = gls.random_tours(problem, TOURS, seed=1, backend=backend), 0
    for search in filtered():
        result = search(problem, starts, budget=gls.Budget(moves=MOVES), backend=backend)
        assert (result.costs == problem.cost(result.tours)).all()
        assert (result.costs <= problem.cost(starts)).all()
        gls.best_moves(search.neighbourhoods[0], problem, starts, MOVES, backend=backend)
        calls += 2
    return calls


def run_all_shapes(problem: Any) -> int:
    """Climb and descend with tours in shared and in global memory, climb as for other sizes."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.searches.exhaustive import climb_layouts

    choose = climb_layouts.climb_shape
    starts = gls.random_tours(problem, TOURS, seed=1, backend="cuda")
    together = [
        gls.LocalSearch(pivoting=gls.Multi(), layout=layout)(problem, starts, backend="cuda").tours
        for layout in ("auto", "global")
    ]
    assert (together[0] == together[1]).all()
    search = exhaustive(1)
    expected = search(problem, starts, backend="cuda").tours
    seen: set[Any] = set()
    try:
        for cities in LAYOUT_SIZES:
            for in_shared in (True, False):

                def layout(
                    n: int, *rest: Any, as_of: int = cities, shared: bool = in_shared
                ) -> Any:
                    found = choose(max(n, as_of), *rest)
                    seen.add(dataclasses.replace(found, in_shared=shared))
                    return dataclasses.replace(found, in_shared=shared)

                climb_layouts.climb_shape = layout
                result = search(problem, starts, backend="cuda")
                assert (result.tours == expected).all(), f"{seen} end with other tours"
    finally:
        climb_layouts.climb_shape = choose
    return len(seen)


def run_plain(n: int) -> int:
    """Climb with the plain kernel of both metrics."""
    import gpu_ls_plugin as gls

    problem = gls.TSP(common.uniform(n), "EUC_2D")
    cupy = common.require_gpu()
    for metric in ("EUC", "EUC_2D"):
        plain = PlainTwoOpt(problem.coordinates, metric)
        plain.threads = 128
        plain.climb(cupy.asarray(gls.random_tours(problem, TOURS, seed=1, backend="cuda")))
    return 2


def main() -> None:
    """Run all cases on a backend."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", default="cuda", help="cuda, or cpu to try the script itself")
    parser.add_argument("--metrics", default=",".join(PLANAR), help="metrics in the plane")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of cities")
    parser.add_argument("--problems", type=int, help="so many of each size; matrices come last")
    parser.add_argument("--runs", default=",".join(RUNS), help="kinds of kernels")
    options = parser.parse_args()
    runs = options.runs.split(",")
    if options.backend == "cuda":
        common.require_gpu().cuda.set_allocator(None)
    calls = 0
    for n in map(int, options.sizes.split(",")):
        cases = problems(n, tuple(options.metrics.split(",")))[: options.problems]
        if "all" in runs:
            calls += sum(run_all(problem, options.backend) for problem in cases)
        if "chains" in runs and n in CHAIN_SIZES:
            calls += sum(run_chains(problem, options.backend) for problem in cases)
        if "filtered" in runs and n in FILTERED_CITIES:
            few = [problem for problem in cases if problem.metric.name in FILTERED_METRICS]
            calls += sum(run_filtered(problem, options.backend) for problem in few)
        if "shapes" in runs and options.backend == "cuda" and n > SIZES[2]:
            calls += run_all_shapes(cases[0]) + run_plain(n)
    print(f"{calls} calls done")


if __name__ == "__main__":
    main()
