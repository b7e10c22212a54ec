"""pymoo's `MemeticGA` beside `solve`, in equal time and in one and a half times that."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls
from benchmarks.peers.routing.sections import EIGHT, named, tasks
from benchmarks.peers.routing.solvers import OURS, cheapest_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from benchmarks.peers.routing.runs import Bench, Run
    from benchmarks.peers.routing.solvers import Task

SECONDS = 10.0


def memetic(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure both with their defaults; clocks begin after compiling."""
    listed = tasks(named(options.instances or EIGHT), options, SECONDS)
    searches = {
        OURS: _solved,
        "MemeticGA": partial(_evolved, 1.0),
        "MemeticGA, 1.5 times the time": partial(_evolved, 1.5),
    }
    return bench.compared(listed, known, searches)


def _solved(problem: gls.CVRP, task: Task, backend: str) -> dict[str, Any]:
    found = gls.solve(problem, task.seconds, seed=task.seed, backend=backend)
    return cheapest_of(problem, found.tours, found.statistics.seconds)


def _evolved(times: float, problem: gls.CVRP, task: Task, backend: str) -> dict[str, Any]:
    from pymoo.optimize import minimize

    from gpu_ls_pymoo import CVRPProblem, MemeticGA

    limit = ("time", times * task.seconds)
    found = minimize(CVRPProblem(problem), MemeticGA(backend=backend), limit, seed=task.seed)
    return cheapest_of(problem, found.pop.get("X"), found.exec_time)
