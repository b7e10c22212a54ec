"""What a run of islands is, what travels to workers, and what is returned of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from gpu_ls_plugin.backends import arrays
from gpu_ls_plugin.core.exceptions import ClusterError
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.distributed.rhythm import Rhythm
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.runs.elites import Elites, joined

if TYPE_CHECKING:
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback, Statistics
    from gpu_ls_plugin.distributed.exchange import ExchangeRule
    from gpu_ls_plugin.distributed.orders import Job
    from gpu_ls_plugin.runs.settings import Settings


@dataclass(frozen=True)
class IslandRun:
    """What a run is. `offered` says how many best and distant rows an island offers."""

    name: str
    problem: Problem
    rhythm: Rhythm
    topology: str
    seed: int
    target: float | None
    callback: Callback | None
    offered: tuple[int, int]


def run_of(
    exchange: ExchangeRule,
    topology: str,
    job: Job,
    settings: Settings,
    budget: Budget | None = None,
    share: float | None = None,
    callback: Callback | None = None,
) -> IslandRun:
    """Return what a run is; without a budget that of the settings."""
    if budget is None:
        seconds = settings.seconds
        budget = settings.budget(seconds)
        budget = replace(budget, seconds=None if seconds == np.inf else seconds)
    problem, target = job.problem, budget.target
    own_kicks = getattr(job.search or job.settings.search, "own_kicks", lambda _: None)
    if target is None:
        target = domain_of(problem).target(problem)
    rhythm = Rhythm.of(exchange, budget, own_kicks(problem), share)
    name, seed = uuid4().hex[:12], settings.seed or 0
    return IslandRun(
        name, problem, rhythm, topology, seed, target, callback, (job.best, job.distant)
    )


def packed(job: Job) -> bytes:
    """Return the job as bytes; what a script defines goes along."""
    import cloudpickle

    found: bytes = cloudpickle.dumps(job)
    return found


def checked(problem: Problem, tours: Any) -> Any:
    """Return rows on the host, once they have been checked."""
    return domain_of(problem).check_starts(problem, arrays.on_host(tours))


def result_of(problem: Problem, groups: list[Elites], statistics: Statistics) -> Result:
    """Return the rows of all islands, the best first."""
    found = joined(problem, groups)
    if not len(found):
        if statistics.interrupted:
            raise KeyboardInterrupt
        raise ClusterError("dask: no island has found anything: workers were lost before they did")
    # Islands compare rows by other costs, where constraints or rounding make a difference.
    exact = problem.tsp is problem and problem.integer
    costs = found.costs if exact else problem.cost(found.rows)
    return Result(found.rows, costs, statistics, problem)
