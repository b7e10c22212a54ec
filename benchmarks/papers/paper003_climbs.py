"""Figures 5, 6 and 7 of paper 003: CPU threads, CPU against GPU, and quality of many climbs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.papers.paper003_ours import Ours, begin, search
from benchmarks.papers.paper003_versions import instance, throughput

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

THREADS = (1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32)
CLIMBS_OF_THREADS = 8192
CPU_SIZES = (10, 50, 100, 200, 400, 800, 1600, 3200, 8192)
CLIMBS_OF_A_CORE = 8
CPU_SECONDS = 1.0  # of one run on the CPU
RANGES = ((1, 50), (51, 100), (101, 150), (151, 200))  # cities
CLIMBS = 100_000


def threads(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Climb with kroA150 by each number of threads, and on the GPU if there is one."""
    import os

    import gpu_ls_plugin as gls
    from gpu_ls_plugin.backends.cpu import threads_at_most

    problem = gls.TSP.read(common.require_instances() / "kroA150.tsp")
    count = max(16, round(CLIMBS_OF_THREADS * options.share))
    starts = gls.random_tours(problem, count, seed=1, backend="cpu")
    cores = len(os.sched_getaffinity(0))
    search()(problem, starts[:4], backend="cpu")  # compiles
    for number in (t for t in THREADS if t <= cores):
        with threads_at_most(number):
            seconds = search()(problem, starts, backend="cpu").statistics.seconds
        print(number, "threads:", round(seconds, 3), "s", flush=True)
        yield str(number), {"threads": number, "climbs": count, "seconds": seconds}
    if common.has_gpu():
        own = Ours(problem, starts)
        own.call(count)
        seconds = min(own.call(count)[0] for _ in range(options.repeats))
        yield "gpu", {"threads": "GPU", "climbs": count, "seconds": seconds}


def _cities(name: str) -> int:
    """Return the number of cities in the name of an instance."""
    return int("".join(filter(str.isdigit, name)))


def processors(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Measure moves per second of the GPU and of all cores by size.

    On a CPU, our climb does not evaluate moves that cannot be the best. Its moves per second are
    those that the same climb would need if it evaluated all.
    """
    import os

    common.require_gpu()
    for n in options.sizes or CPU_SIZES:
        problem, starts = instance(n)
        own = Ours(problem, starts)
        row = {"n": n, "gpu": throughput(own.call, n, own.full_load(), options)}
        climbs = CLIMBS_OF_A_CORE * len(os.sched_getaffinity(0))
        row["cpu"] = _on_cores(problem, starts, climbs, CPU_SECONDS * options.share)
        row["times"] = row["gpu"]["moves_per_s"] / row["cpu"]["moves_per_s"]
        print(n, "GPU over CPU:", round(row["times"], 1), flush=True)
        yield str(n), row


def _on_cores(problem: Any, starts: Any, climbs: int, seconds: float) -> dict[str, Any]:
    """Climb on all cores; the number of climbs, or of passes, grows until a run takes long."""
    import numpy as np

    import gpu_ls_plugin as gls

    rows = starts.get() if hasattr(starts, "get") else starts
    passes = 4
    search()(problem, rows[:2], budget=gls.Budget(moves=1), backend="cpu")
    while True:
        tours = rows[np.arange(climbs) % len(rows)]
        budget = gls.Budget(moves=passes, seconds=20 * seconds)
        found = search()(problem, tours, budget=budget, backend="cpu").statistics
        if found.seconds > seconds / 4:
            break
        if passes < 4 * problem.n:
            passes *= 4
        elif climbs < 1 << 20:
            climbs *= 4
        else:
            break
    moves = common.moves_of(problem.n, found.passes)
    return {
        "climbs": climbs,
        "passes": found.passes,
        "seconds": found.seconds,
        "moves_per_s": moves / found.seconds,
    }


def quality(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Climb with all instances of up to 200 cities; compare the best tour with the optimum."""
    import gpu_ls_plugin as gls

    count = max(1, round(CLIMBS * options.share))
    backend = "cuda" if common.has_gpu() else "cpu"
    optima, folder = common.optima(), common.require_instances()
    small = [name for name in sorted(optima) if _cities(name) <= RANGES[-1][1]]
    problems = {name: gls.TSP.read(folder / f"{name}.tsp") for name in small}
    for problem in problems.values():
        if backend == "cuda":
            begin(problem, count)
    for name, problem in problems.items():
        optimum = optima[name]
        starts = gls.random_tours(problem, count, seed=1, backend=backend)
        search()(problem, starts, budget=gls.Budget(moves=1), backend=backend)  # compiles
        found = search()(problem, starts, backend=backend)
        row = {
            "n": problem.n,
            "climbs": count,
            "optimum": optimum,
            "best": int(found.best_cost),
            "error": float(100 * (found.best_cost / optimum - 1)),
            "mean_error": float(100 * (found.costs.mean() / optimum - 1)),
            "seconds": found.statistics.seconds,
        }
        print(name, problem.n, f"{row['error']:.3f} %", f"{row['seconds']:.3f} s", flush=True)
        yield name, row
