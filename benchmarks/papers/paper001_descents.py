"""Table 3 of paper 001, 2-opt and 3-opt Search: deviations, and times beside one core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.helpers.search_clock import engine_maker, search_seconds, threads
from benchmarks.papers.paper001 import RUNS, descent, instances, read

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gpu_ls_plugin import TSP, LocalSearch

OPERATORS = ("2-opt", "3-opt")
LARGEST_RUNS = 6000  # cities; larger instances have one run
CORE_SECONDS = 0.15  # of the passes that are timed on one core; the rest is in proportion
REPEATS = 3


def descents(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Search from nearest-neighbour tours with best improvement, to the local optimum."""
    import gpu_ls_plugin as gls

    for name in instances(options.most):
        problem = read(name)
        runs = RUNS if problem.n <= LARGEST_RUNS else 1
        tours = gls.nearest_neighbour(problem, runs, seed=1, backend=options.backend)
        row: dict[str, Any] = {"n": problem.n, "runs": runs}
        for operator in OPERATORS:
            row[operator] = _row(problem, tours, operator, options.backend)
        yield name, row


def _row(problem: TSP, tours: Any, operator: str, backend: str) -> dict[str, Any]:
    """Return the deviation of all runs, and the times of the first one."""
    search, quick = descent(operator, best=True), descent(operator, best=False)
    row: dict[str, Any] = {"gpu_ms": None, "first_gpu_ms": None}
    first, repeats = tours[:1], REPEATS if len(tours) > 1 else 1
    if backend == "cuda":
        seconds, engine = search_seconds(search, problem, first, "cuda", repeats)
        row["gpu_ms"] = 1e3 * common.median(seconds)
        seconds, _ = search_seconds(quick, problem, first, "cuda", repeats)
        row["first_gpu_ms"] = 1e3 * common.median(seconds)
    with threads(1):
        if backend == "cpu":
            _, engine = search_seconds(search, problem, first, "cpu", 1)
        ends = np.asarray(engine.backend.to_numpy(engine.tours))
        row |= _one_core(search, problem, first, int(engine.pass_counts.mean()), ends)
        seconds, _ = search_seconds(quick, problem, first, "cpu", 1)
        row["first_core_ms"] = 1e3 * seconds[0]
    others = search(problem, tours[1:], backend=backend).tours if len(tours) > 1 else tours[1:]
    costs = problem.cost(np.concatenate([ends, others]))
    row["gap"] = float(percent(costs, common.optima()[problem.name]).mean())
    return row


def _one_core(
    search: LocalSearch, problem: TSP, tours: Any, passes: int, ends: Any
) -> dict[str, Any]:
    """Return the time of a search that makes `passes` passes; a long one is timed in part.

    `same` is whether a whole search ends with the tour `ends`.
    """
    make = engine_maker(search, problem, tours, "cpu")
    make().launch(1, math.inf)  # compiles
    one = common.seconds_of(lambda: make().launch(1, math.inf))[0]
    timed = max(1, min(passes, int(CORE_SECONDS / one)))
    engine = make()
    seconds = common.seconds_of(lambda: engine.launch(timed, math.inf))[0]
    return {
        "passes": passes,
        "core_ms": 1e3 * seconds * passes / timed,
        "core_passes": timed,
        "same": bool(np.array_equal(engine.tours, ends)) if timed == passes else None,
    }
