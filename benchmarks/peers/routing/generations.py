"""Generations of populations beside chains after tries of fewer vehicles: their results."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest import mock

import gpu_ls_plugin as gls
from benchmarks.peers.routing.sections import REACHED, named, tasks
from benchmarks.peers.routing.solvers import OURS
from gpu_ls_plugin.routes.plan import first_generations

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from benchmarks.peers.routing.runs import Bench, Run
    from benchmarks.peers.routing.solvers import Task

NAMES = ("CMT13", "X-n143-k7")
SECONDS = 150.0
SEARCHES = ("chains", "generations", OURS)


def generations(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure each alone, and `solve`, which has both; the best known cost ends a run."""
    listed = tasks(named(options.instances or NAMES), options, SECONDS)
    return bench.compared(listed, known, {label: partial(_run, bench, label) for label in SEARCHES})


def _run(bench: Bench, label: str, problem: gls.CVRP, task: Task, backend: str) -> dict[str, Any]:
    """Solve by one of the searches until the best known cost is reached."""
    target = bench.best[task.path.stem] * (1 + REACHED)
    search = gls.HybridGeneticSearch() if label == "generations" else None
    enough = (lambda *_: math.inf) if label == "chains" else first_generations.enough
    begin = time.perf_counter()
    with mock.patch.object(first_generations, "enough", enough):
        found = gls.solve(
            problem, task.seconds, seed=task.seed, backend=backend, search=search, target=target
        )
    wall = time.perf_counter() - begin - found.statistics.phases.get("compiling", 0.0)
    cost = float(found.best_cost) if problem.feasible(found.best_tour)[0] else None
    return {"cost": cost, "wall": wall, "kicks": found.statistics.kicks}
