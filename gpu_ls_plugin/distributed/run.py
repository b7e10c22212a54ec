"""The description of a run of islands, and its schedule of stretches between exchanges."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.runs.stretch import Stretch

if TYPE_CHECKING:
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.distributed.exchange import ExchangeRule
    from gpu_ls_plugin.distributed.messages import Job
    from gpu_ls_plugin.runs.settings import Settings

EXCHANGES = 10  # default number of exchanges if kicks limit the run
SHORTEST = 0.02  # seconds; a shorter rest of the run is added to the stretch before it


@dataclass(frozen=True)
class Schedule:
    """The limits of a run and of its stretches; islands exchange rows after each stretch."""

    seconds: float
    kicks: int | None
    every: float  # seconds per stretch; infinite if kicks end it
    step: int | None  # kicks per row and stretch; None: kicks do not end it
    share: float | None = None  # how much of a longer run has passed, if this is a part of it

    @classmethod
    def of(
        cls, exchange: ExchangeRule, budget: Budget, kicks: int | None, share: float | None = None
    ) -> Schedule:
        """Return the schedule of a run; if the budget has no limit, `kicks` limits the run."""
        seconds = math.inf if budget.seconds is None else budget.seconds
        unlimited = (budget.seconds, budget.kicks, budget.moves) == (None, None, None)
        total = kicks if unlimited else budget.kicks
        step = exchange.kicks
        if step is None and total is not None:
            step = max(1, -(-total // EXCHANGES))
        counted = step is not None or seconds == math.inf
        return cls(seconds, total, math.inf if counted else exchange.every, step, share)

    @property
    def together(self) -> bool:
        """Whether islands wait for each other, so that their speed does not change the result."""
        return self.every == math.inf

    def stretch(self, done: int, elapsed: float, part: float = 1.0) -> Stretch | None:
        """Return the next stretch, or None if the run is over.

        `done` is the number of kicks of each row so far, `elapsed` is how many seconds the run has
        taken so far, and `part` is the share of `every` that this stretch takes.
        """
        left = self.seconds - elapsed
        kicks = self.step
        if self.kicks is not None:
            kicks = min(self.step or self.kicks, self.kicks - done)
        if left < SHORTEST or (kicks is not None and kicks <= 0):
            return None
        seconds = min(left, part * self.every)
        if left - seconds < SHORTEST:
            seconds = left
        ends = (self._share(done, elapsed), self._share(done + (kicks or 0), elapsed + seconds))
        return Stretch(seconds, kicks, *ends, steady=True)

    def _share(self, done: int, elapsed: float) -> float:
        """Return the share of the run that has passed, by kicks if they limit it, else by time."""
        if self.share is not None:
            return self.share
        if self.kicks is not None:
            return min(1.0, done / max(1, self.kicks))
        return 0.0 if self.seconds == math.inf else min(1.0, elapsed / max(self.seconds, 1e-9))


@dataclass(frozen=True)
class IslandRun:
    """A run of islands; `offered` says how many best and distant rows an island offers."""

    name: str
    problem: Problem
    schedule: Schedule
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
    """Return the run of a job; the default budget is that of `settings`."""
    if budget is None:
        seconds = settings.seconds
        budget = settings.budget(seconds)
        budget = replace(budget, seconds=None if seconds == math.inf else seconds)
    problem, target = job.problem, budget.target
    own_kicks = getattr(job.search or job.settings.search, "own_kicks", lambda _: None)
    if target is None:
        target = domain_of(problem).target(problem)
    schedule = Schedule.of(exchange, budget, own_kicks(problem), share)
    name, seed = uuid4().hex[:12], settings.seed or 0
    return IslandRun(
        name, problem, schedule, topology, seed, target, callback, (job.best, job.distant)
    )
