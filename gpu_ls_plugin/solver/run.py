"""Solves an instance: makes a plan, compiles its kernels, and runs its stages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import builds, get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import Budget, Stopwatch
from gpu_ls_plugin.core.history import Point, merged, shifted
from gpu_ls_plugin.core.result import REPORTED, Result, Statistics, later
from gpu_ls_plugin.runs.claims import as_asked
from gpu_ls_plugin.runs.compiling import Ahead
from gpu_ls_plugin.runs.domain import domain_of, first_rows
from gpu_ls_plugin.runs.plan import Found
from gpu_ls_plugin.solver.plans import plan_of

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback, Progress
    from gpu_ls_plugin.runs.plan import Plan, Stage
    from gpu_ls_plugin.runs.settings import Settings

A_MOMENT = 0.1  # seconds between two looks at whether the next stage is compiled


def solve(problem: Problem, settings: Settings, callback: Callback | None = None) -> Result:
    """Return the best tours or states found within the time limit, the cheapest first.

    Ctrl-C ends the search early: the result so far is returned, and its statistics say "interrupt".
    The first phase in the statistics, "compiling", does not count towards the time limit: the
    kernels of the first stage. Those of later stages are compiled during the search.

    Parameters
    ----------
    problem : Problem
    settings : Settings
        Defaults depend on the problem and the device.
    callback : callable, optional
        Called with a `Progress` after each launch.

    Raises
    ------
    InvalidParameterError, UnsupportedProblemError, BackendUnavailableError
        Raised by the parts of the search.
    InsufficientMemoryError
        The population does not fit into memory.
    KeyboardInterrupt
        Ctrl-C was pressed before there were any tours.
    """
    checks.callback(callback)
    statistics = Statistics()
    with statistics.phase("compiling"):
        plan = plan_of(problem, settings)
        plan.prepare(first=True)
        ahead = Ahead(plan)
    statistics.backend = get_backend(plan.backend).name
    try:
        return _Solve(plan, ahead, statistics, callback).run(settings.population)
    finally:
        ahead.stop()


class _Solve:
    """The state of a solve: its clock and the result so far.

    Parameters
    ----------
    ahead : Ahead
        Compiles the stages after the first one.
    statistics : Statistics
        Collects the times of the phases outside of searches.
    """

    def __init__(
        self, plan: Plan, ahead: Ahead, statistics: Statistics, callback: Callback | None
    ) -> None:
        self._plan, self._ahead = plan, ahead
        self._statistics, self._callback = statistics, callback
        self._watch = Stopwatch(self._budget(plan.seconds))
        self._found: Result | None = None

    def run(self, population: int | None) -> Result:
        """Run the stages; return `population` rows, or all rows if it is None."""
        course, plan, watch = self._plan.course(), self._plan, self._watch
        while True:
            stage, before = course.stage, self._found
            found = self._found = self._search(stage, last=course.last)
            if found.statistics.interrupted or self._reached(found):
                break
            best = Found(found.best_tour, rank(found), found)
            if not course.go_on(best, watch.left) or not self._bridged(stage, course.stage):
                break
        found = self._found
        if self._reached(found) and not found.statistics.interrupted:
            found.statistics.stopped_by = "target"  # even if the first row reached it
        rows = np.arange(len(found.tours))
        if population is not None and (stage is not plan.main or found is before):
            rows = np.arange(population) % len(found.tours)  # earlier stages have other sizes
        own, phases = found.statistics, self._statistics.phases
        statistics = replace(own, seconds=watch.elapsed, phases=phases | own.phases)
        tours, costs = found.tours[rows], found.costs[rows]
        return replace(found, tours=tours, costs=costs, statistics=statistics).sorted()

    def _bridged(self, stage: Stage, following: Stage) -> bool:
        """Search on until the kernels of the following stage are ready; return whether they are.

        Without a time limit, wait for them.
        """
        plan, watch = self._plan, self._watch
        if not plan.by_time:
            self._ahead.wait(following)
        while not self._ahead.ready(following):
            assert self._found is not None
            if watch.left <= 0:
                return False
            if not builds.at_work():
                self._ahead.wait(following, min(A_MOMENT, watch.left))
                continue
            more = replace(stage, rows=self._found.tours, seconds=A_MOMENT, joins=False)
            self._found = self._search(more, last=False)
            if self._found.statistics.interrupted or self._reached(self._found):
                return False
        return True

    def _search(self, stage: Stage, *, last: bool) -> Result:
        """Run a stage; return its result, with the best row of earlier stages if that is better."""
        before, problem = self._found, self._plan.problem
        tours: Any = None
        try:
            if last:
                tours = self._starts(stage)
                search = self._ready(stage)
                found, begin = self._called(stage, search, tours, self._watch.left)
            else:
                with self._statistics.phase("opening"):
                    end = self._watch.elapsed + stage.seconds
                    tours = self._starts(stage, counted=False)
                    left = min(end - self._watch.elapsed, self._watch.left)
                    found, begin = self._called(stage, stage.search, tours, max(0.0, left))
            found = as_asked(found, problem, stage.search).sorted()
        except KeyboardInterrupt:  # a running search would have caught it
            if before is None and tours is None:
                raise
            interrupted = Statistics(backend=self._statistics.backend, stopped_by="interrupt")
            if before is not None:
                before.statistics.stopped_by = "interrupt"
                return before
            tours = domain_of(problem).completed(problem, tours)
            found, begin = Result(tours, problem.cost(tours), interrupted, problem).sorted(), 0.0
        found = _in_time(found, begin, self._watch.elapsed)
        return found if before is None else joined(before, found)

    def _starts(self, stage: Stage, *, counted: bool = True) -> Any:
        """Return the initial rows of a stage, None if its search makes its own rows."""
        if stage.size == 0:
            return stage.rows
        plan, phases = self._plan, self._statistics if counted else Statistics()
        with phases.phase("starts"):
            place: dict[str, Any] = {"seed": plan.seed, "backend": plan.backend}
            rows = first_rows(stage.problem, stage.size, stage.start, rows=stage.rows, **place)
            if stage.joins and self._found is not None:
                rows[0] = self._found.best_tour
        return rows

    def _ready(self, stage: Stage) -> Any:
        """Return the search of a stage, after computing the problem's data that it needs."""
        with self._statistics.phase("candidates"):
            if stage.ready is None:
                return stage.search
            return stage.ready(stage, self._plan.backend, self._watch)

    def _called(
        self, stage: Stage, search: Any, tours: Any, seconds: float
    ) -> tuple[Result, float]:
        """Return the result of a search with a time limit, and the second at which it began."""
        plan, before = self._plan, self._found
        begin, callback = self._watch.elapsed, self._callback
        if callback is not None:
            callback = later(callback, begin) if before is None else behind(callback, before, begin)
        found = search(
            stage.searched,
            tours,
            seed=plan.seed,
            budget=self._budget(seconds),
            callback=callback,
            backend=plan.backend,
        )
        return found, begin

    def _budget(self, seconds: float) -> Budget:
        plan = self._plan
        return Budget(seconds, plan.kicks, plan.moves, plan.target)

    def _reached(self, found: Result) -> bool:
        target = self._plan.target
        return target is not None and found.best_cost <= target and found.best_feasible


def behind(callback: Callback, before: Result, begin: float) -> Callback:
    """Return a callback for a search that began `begin` seconds after the start of the solve.

    It adds the counts of the earlier result `before`, and reports the better of the two best costs.
    """
    own = before.statistics

    def added(progress: Progress) -> None:
        counts = {name: getattr(progress, name) + getattr(own, name) for name in REPORTED}
        best = min(progress.best_cost, before.best_cost)
        callback(replace(progress, best_cost=best, **counts))

    return later(added, begin)


def joined(before: Result, found: Result) -> Result:
    """Return `found` with the counts of `before` added, and the better of the two best rows."""
    own, others = before.statistics, found.statistics
    statistics = replace(others, history=merged(own.history, others.history))
    statistics.add_counts(own)
    return with_better_row(replace(found, statistics=statistics), before)


def with_better_row(found: Result, other: Result) -> Result:
    """Return `found`; if the best row of `other` is better, it replaces the last row of `found`."""
    if rank(found) <= rank(other):
        return found
    tours, costs = found.tours.copy(), found.costs.copy()
    tours[-1], costs[-1] = other.best_tour, other.best_cost
    return replace(found, tours=tours, costs=costs).sorted()


def rank(found: Result) -> tuple[float, float]:
    """Return by how much the best row breaks constraints, and its cost; less is better."""
    if found.best_feasible:
        return 0.0, found.best_cost
    assert found.problem is not None
    return max(1e-300, float(found.problem.excess(found.best_tour)[0])), found.best_cost


def _in_time(found: Result, begin: float, seconds: float) -> Result:
    """Return a result whose history has times since the start of the solve."""
    own = found.statistics
    history = shifted(own.history, begin)
    if not history:
        history = [Point(seconds, own.kicks, found.best_cost, float(found.costs.mean()))]
    return replace(found, statistics=replace(own, history=history))
