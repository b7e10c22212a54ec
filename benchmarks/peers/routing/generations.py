"""Generations of populations beside chains, the same time for each: where either ends."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any
from unittest import mock

import gpu_ls_plugin as gls
from benchmarks.peers.routing.runs import key_of, mean_gaps, merged
from benchmarks.peers.routing.sections import REACHED, named, tasks
from benchmarks.peers.routing.solvers import OURS
from gpu_ls_plugin.solver import first_generations

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from benchmarks.peers.routing.runs import Bench, Run
    from benchmarks.peers.routing.solvers import Task

NAMES = ("CMT13", "X-n143-k7")
SECONDS = 150.0
SEARCHES = ("chains", "generations", OURS)


def generations(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure both by themselves, and `solve`, which has both; the best known cost ends a run."""
    done = set() if bench.again else {key_of(run) for run in known}
    found: list[Run] = []
    for task in tasks(named(options.instances or NAMES), options, SECONDS):
        problem = gls.CVRP.read(task.path)
        target = bench.best[task.path.stem] * (1 + REACHED)
        for label in SEARCHES:
            new = (task.path.stem, label, task.seconds, task.seed) not in done
            if new and bench.fits(task, f"{label} on {task.path.stem}"):
                run = _run(problem, task, label, bench.backend, target)
                found.append(bench.finished(task, label, problem, run))
    runs = merged(known, found)
    return {"runs": runs, "mean": mean_gaps(runs)}


def _run(problem: gls.CVRP, task: Task, label: str, backend: str, target: float) -> dict[str, Any]:
    """Solve by one of the searches until the target is reached."""
    search = gls.HybridGeneticSearch() if label == "generations" else None
    least = math.inf if label == "chains" else first_generations.CHILDREN
    begin = time.perf_counter()
    with mock.patch.object(first_generations, "CHILDREN", least):
        found = gls.solve(
            problem, task.seconds, seed=task.seed, backend=backend, search=search, target=target
        )
    wall = time.perf_counter() - begin - found.statistics.phases.get("compiling", 0.0)
    cost = float(found.best_cost) if problem.feasible(found.best_tour)[0] else None
    return {"cost": cost, "wall": wall, "kicks": found.statistics.kicks}
