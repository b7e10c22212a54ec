"""Educations a second: children of two parents, cut into routes and searched to a local optimum."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peers.bench_cvrp import instances
from benchmarks.peers.routing.solvers import HGS, Task

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from benchmarks.peers.routing.runs import Bench, Run

NAMES = ("X-n200-k36", "X-n513-k21", "X-n1001-k43")
CHILDREN = {"cpu": 64, "cuda": 4224}  # of a batch
SEARCHES = {  # of children, by the names of the tables
    "educations": "route_moves/nearest(32)",
}


def throughput(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure educations and kicks a second, beside HGS-CVRP's iterations on one core and on all.

    An iteration of HGS-CVRP is a crossover, Split and a local search, sometimes with a repair. The
    solutions of its first population are educated, too, and count as iterations.
    """
    names = options.instances or NAMES
    seconds = options.seconds or 10.0
    paths = [instances() / "X" / f"{name}.vrp" for name in names]
    tasks = [Task(path, seconds, 1) for path in paths]
    seeds = range(1, options.processes + 1)
    theirs = [Task(path, seconds, seed) for path in paths for seed in seeds]
    runs = bench.runs(tasks, known, peer_tasks=theirs)
    found: dict[str, Any] = {"runs": runs}
    found["rates"] = {name: _rates(name, runs) for name in {run["instance"] for run in runs}}
    if bench.ours:
        for title, text in SEARCHES.items():
            found[title] = {
                path.stem: educations(path, bench.backend, options.repeats, text) for path in paths
            }
    for title in ("rates", *SEARCHES):
        for name, row in found.get(title, {}).items():
            print(f"{title}, {name}: {row}", flush=True)
    return found


def _rates(name: str, runs: Sequence[Run]) -> dict[str, Any]:
    """Return the kicks a second of ours, and the iterations a second of HGS-CVRP."""
    own = [run for run in runs if run["instance"] == name]
    rates: dict[str, Any] = {}
    if kicks := [run["kicks_per_second"] for run in own if "kicks_per_second" in run]:
        rates["kicks"] = max(kicks)
    theirs = [run for run in own if run["solver"] == HGS]
    if each := [run["iterations_per_second"] for run in theirs if "iterations_per_second" in run]:
        rates |= {
            "hgs_one_core": float(np.mean(each)),
            "hgs_all_cores": float(np.sum(each)),
            "hgs_processes": len(each),
        }
    return rates


def educations(path: Any, backend: str, repeats: int, text: str) -> dict[str, Any]:
    """Return how many children a second are made from local optima, cut and searched in a batch.

    The time is from parents to children on arrays of the backend; kernels are compiled and
    candidates made before. `text` describes the search.
    """
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.plugins.search_text import parse_search

    problem = gls.CVRP.read(path)
    search = parse_search(text)
    count = CHILDREN[backend]
    tours = search(problem, gls.savings(problem, count, seed=1), seed=1, backend=backend).tours
    if backend == "cuda":
        import cupy

        tours = cupy.asarray(tours)
    mates = tours[::-1]
    seconds, parts = [], {}
    for repeat in range(repeats + 1):
        begin = time.perf_counter()
        children = gls.SplitRecombination().cross(
            problem, tours, mates, seed=repeat, backend=backend
        )
        crossed = time.perf_counter()
        found = search(problem, children, seed=repeat, backend=backend)
        end = time.perf_counter()
        if repeat:  # the first one compiles
            seconds.append(end - begin)
            parts = {"crossover_seconds": crossed - begin, "search_seconds": end - crossed}
    return {
        "children": count,
        "per_second": count / float(np.median(seconds)),
        "moves_each": found.statistics.moves / count,
        "mean_cost": float(found.costs.mean()),
        **parts,
    }
