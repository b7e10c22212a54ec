"""Table 3 of paper 001, iterated local search: deviations, optima, and the time of a kick."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.helpers.search_clock import threads
from benchmarks.papers.paper001 import RUNS, instances, iterated, lines, read

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from benchmarks.helpers.limit import Limit
    from benchmarks.papers.paper001 import Line
    from gpu_ls_plugin import TSP, IteratedLocalSearch

KICK_SECONDS = 0.1  # of the kicks that are timed in one run
LEAST_KICKS = 200
LONG = 4000  # cities of instances whose chains take long


# ---- Deviations and optima -----------------------------------------------------------------------


def chains(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Run ten chains of every line on every instance, several instances at the same time.

    Each has a lane of the device, so that single chains of long tours leave no multiprocessor idle.
    A row has, by kicks per city, the mean and the least gap and the number of chains with the
    optimum.
    """
    from gpu_ls_plugin.backends import get_backend

    backend, chosen = get_backend(options.backend), lines()
    sizes = {name: read(name).n for name in instances(options.most)}
    # Many short jobs first, then the longest ones: no lane should begin a long job at the end.
    order = sorted(sizes, key=lambda name: sizes[name] if sizes[name] <= LONG else -sizes[name])
    order.sort(key=lambda name: sizes[name] > LONG)
    jobs = [
        (label, name)
        for name in order
        for label in options.lines
        if label != "printed" and sizes[name] <= chosen[label].largest
    ]
    if "printed" in options.lines:  # last: its kicks are driven from the host
        jobs += [("printed", name) for name, n in sizes.items() if n <= chosen["printed"].largest]
    lanes: SimpleQueue[int] = SimpleQueue()
    for number in range(options.lanes):
        lanes.put(number)
    share = max(1, backend.processors // options.lanes)

    def in_lane(label: str, name: str) -> dict[str, Any]:
        number = lanes.get()
        try:
            with backend.lane(number, share):
                return _chains(chosen[label], name, options.backend, options.limit)
        finally:
            lanes.put(number)

    with ThreadPoolExecutor(options.lanes) as pool:
        futures = {pool.submit(in_lane, *job): job for job in jobs}
        for future in as_completed(futures):
            label, name = futures[future]
            if (error := future.exception()) is not None:  # the other rows count nevertheless
                print(f"{label} {name} failed: {error!r}", flush=True)
                continue
            row = future.result()
            print(f"{label} {name}: {row}", flush=True)
            if row:
                yield f"{label} {name}", row


def _chains(line: Line, name: str, backend: str, limit: Limit) -> dict[str, Any]:
    """Run one line on one instance; kicks that the limit cuts off are left out."""
    import gpu_ls_plugin as gls

    problem, optimum = read(name), common.optima()[name]
    row: dict[str, Any] = {}
    for kicks_per_city in line.kicks_per_city:
        if not limit.left:
            break
        start = line.start(problem, RUNS, seed=1, backend=backend)
        seconds = None if math.isinf(limit.left) else limit.left
        budget = gls.Budget(kicks=max(1, round(kicks_per_city * problem.n)), seconds=seconds)
        result = line.search(problem, start, seed=1, budget=budget, backend=backend)
        if result.statistics.stopped_by == "seconds":
            break
        gaps = percent(result.costs, optimum)
        optimal = int((gaps == 0).sum())
        row[f"{kicks_per_city:g}"] = [float(gaps.mean()), float(gaps.min()), optimal]
    return row


# ---- The time of a kick --------------------------------------------------------------------------


def kicks(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Time some kicks of the paper's search and of the same with first improvement."""
    import gpu_ls_plugin as gls

    searches = {"best": iterated(best=True), "first": iterated(best=False)}
    for name in instances(options.most):
        problem = read(name)
        starts = gls.nearest_neighbour(problem, RUNS, seed=1, backend=options.backend)
        optima = searches["first"].search(problem, starts, backend=options.backend).tours
        row: dict[str, Any] = {"n": problem.n}
        for rule, search in searches.items():
            if options.backend == "cuda":
                row[f"{rule}_gpu_ms"] = _kick_ms(search, problem, optima[:1], "cuda")
                if rule == "first":
                    row["first_gpu_ten_ms"] = _kick_ms(search, problem, optima, "cuda")
            with threads(1):
                row[f"{rule}_core_ms"] = _kick_ms(search, problem, optima[:1], "cpu")
        yield name, row


def _kick_ms(search: IteratedLocalSearch, problem: TSP, tours: Any, backend: str) -> float:
    """Return the milliseconds that one kick of all chains takes."""
    import gpu_ls_plugin as gls

    def run(**budget: float) -> tuple[float, float]:
        limits: Any = gls.Budget(**budget)
        found = search(problem, tours, seed=1, budget=limits, backend=backend).statistics
        return found.kicks / len(tours), found.phases.get("kicks", 0.0)

    run(kicks=1)  # compiles
    count, seconds = run(kicks=max(LEAST_KICKS, problem.n // 10), seconds=KICK_SECONDS)
    if not count:  # a single kick takes longer
        count, seconds = run(kicks=1)
    return 1e3 * seconds / count
