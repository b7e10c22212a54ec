"""Many problems of one domain: what `solve_many` asks of a domain, and the usual way to solve them.

The usual way is the domain's own plan for each problem, with several problems at a time.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import upper_layers
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.exceptions import GpuLsError
from gpu_ls_plugin.core.result import REPORTED, Result, Statistics
from gpu_ls_plugin.runs.team import Team

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.result import Progress
    from gpu_ls_plugin.runs.settings import Settings

# Most lanes of a GPU, and the length of rows up to which it has all of them. A lane costs the host
# a thread, and long rows keep more of the GPU busy.
MOST_LANES, LONG_ROW = 8, 1000
# Why a joint search has ended: the first of these reasons that ended one of its searches.
REASONS = ("interrupt", "lost", "seconds", "kicks", "moves", "climbs")


@dataclass(frozen=True)
class ManyProgress:
    """State of a search of many problems.

    Attributes
    ----------
    total : int or float
        Sum of the costs of those problems that have a solution with a finite cost.
    known : int
        Number of these problems.
    done : int
        Number of finished problems.
    """

    total: float
    known: int
    done: int


@dataclass(frozen=True)
class ManyRequest:
    """Problems of one domain, to be solved together.

    Attributes
    ----------
    problems : sequence of Problem
        K problems. The sequence may create them on demand (see `Domain.of_arrays`).
    indices : int64 array, shape (K,)
        Place of each problem in the caller's list; random numbers should depend on it.
    settings : Settings
        `seconds` limits the whole call. `seed` is a number. `start`, if given, names a
        construction. `kicks` limits the chains of each problem; without a limit in seconds, results
        must not depend on the number of cores.
    backend : Backend
    starts : sequence, optional
        For each problem, checked rows to start from, int32 (P, n), the cheapest first, or None. No
        result may be worse than the first of them.
    replicas : int, optional
        Number of chains per problem, if the domain searches all problems side by side.
    memory_limit : int, optional
        Maximum number of bytes of memory to use.
    report : callable
        Call it after each launch, in the thread of the call, with the `Statistics` so far (with
        `seconds`) and a `ManyProgress`. Catch only its KeyboardInterrupt, and then return the
        solutions so far.
    """

    problems: Sequence[Any]
    indices: NDArray[np.int64]
    settings: Settings
    backend: Backend
    starts: Sequence[NDArray[np.int32] | None] | None = None
    replicas: int | None = None
    memory_limit: int | None = None
    report: Callable[[Statistics, ManyProgress], object] = lambda statistics, progress: None

    def start_of(self, number: int) -> NDArray[np.int32] | None:
        """Return the rows from which problem `number` starts, or None."""
        return None if self.starts is None else self.starts[number]


@dataclass(frozen=True)
class ManyFound:
    """Solutions of the problems of a `ManyRequest`, in their order.

    Attributes
    ----------
    rows : int32 array, shape (K, n), or list of K int32 arrays
        The best row of each problem.
    costs : array, shape (K,), int64 or float64
        Equal to `Problem.cost` of each row, bit for bit.
    feasible : bool array, shape (K,)
        Whether each row breaks no constraint.
    statistics : Statistics
        Counts of all problems together; `seconds` is the time of the call.
    own : sequence of Statistics, optional
        Statistics of each problem, if they were searched one by one.
    """

    rows: Any
    costs: NDArray[Any]
    feasible: NDArray[np.bool_]
    statistics: Statistics
    own: Sequence[Statistics] | None = None


def joint_reason(reasons: Sequence[str]) -> str:
    """Return why a search has ended whose parts have ended for these reasons."""
    return next((reason for reason in REASONS if reason in reasons), reasons[-1])


def best_of(problem: Any, found: Result, start: NDArray[np.int32] | None) -> Result:
    """Return the best row of a result; the first row of `start` if that is better."""
    rows = found.best_tour[None]
    if start is not None:
        rows = np.concatenate([rows, start[:1]])
    judged = Result(rows, problem.cost(rows), found.statistics, problem).sorted()
    return replace(judged, tours=judged.tours[:1], costs=judged.costs[:1])


def solve_in_lanes(domain: Any, request: ManyRequest) -> ManyFound:
    """Solve each problem by the plan of its domain, several at a time.

    On a CPU, each problem has one core, or several if there are fewer problems than cores. If kicks
    limit the search, it has one core in any case, since plans depend on the number of cores. Each
    core divides its time by the number of problems that are left for it. A problem whose turn comes
    after the end of the time gets its start, or a constructed row.

    Parameters
    ----------
    domain : Domain
    request : ManyRequest

    Raises
    ------
    GpuLsError
        Raised by the search of a problem; the message names its place in the caller's list.
    """
    return _Lanes(domain, request).solve()


def lanes_of(request: ManyRequest) -> int:
    """Return how many problems are searched at a time."""
    problems, backend = request.problems, request.backend
    if backend.name == "cpu":
        return min(len(problems), backend.processors)
    if len({id(problem) for problem in problems}) < len(problems):
        return 1  # lanes must not share arrays, which belong to a problem
    longest: int = max(problem.n for problem in problems)
    return min(len(problems), max(1, MOST_LANES * LONG_ROW // max(longest, LONG_ROW)))


@dataclass
class _Lanes:
    """The state of `solve_in_lanes`; lanes change it one at a time."""

    domain: Any
    request: ManyRequest

    def __post_init__(self) -> None:
        self._waiting = len(self.request.problems)  # problems that no lane has begun
        self._running: dict[int, Progress] = {}  # by number of the problem
        self._total: float = 0  # sum of the costs of finished problems
        self._done = 0  # number of finished problems
        self._counts = Statistics(backend=self.request.backend.name)  # of finished problems
        self._lock, self._lane = threading.Lock(), threading.local()

    def solve(self) -> ManyFound:
        """Solve all problems; after Ctrl-C, those that are not begun get a row at once."""
        request = self.request
        alone = request.backend.name == "cpu" and request.settings.kicks is not None
        with Team(request.backend, lanes_of(request), 1 if alone else None) as team:
            self._team = team
            tasks = [partial(self._task, number) for number in range(self._waiting)]
            results = team.work(tasks, self._report)
        own, statistics = [result.statistics for result in results], self._counts
        reasons = ["interrupt"] if team.interrupted else [one.stopped_by for one in own]
        statistics.stopped_by = joint_reason(reasons)
        return ManyFound(
            [result.tours[0] for result in results],
            np.concatenate([result.costs for result in results]),
            np.array([result.best_feasible for result in results], np.bool_),
            statistics,
            own,
        )

    def _task(self, number: int) -> Result:
        """Solve a problem, in a thread of the team."""
        try:
            found = self._solved(number, self._share())
        except GpuLsError as error:
            row = self.request.indices[number]
            raise type(error)(f"problems: row {row}: {error}") from error
        with self._lock:
            self._running.pop(number, None)
            self._counts.add_counts(found.statistics)
            self._total, self._done = self._total + found.best_cost, self._done + 1
            self._note_time()
        return found

    def _solved(self, number: int, seconds: float) -> Result:
        request, problem = self.request, self.request.problems[number]
        start, seed = request.start_of(number), request.settings.seed or 0
        settings = replace(
            request.settings,
            seconds=seconds,
            seed=(seed + int(request.indices[number])) % 2**64,
            backend=request.backend.name,
            rows=start,
        )
        if seconds == 0 or self._team.stopped():
            reason = "interrupt" if self._team.stopped() else "seconds"
            row = self.domain.quick_row(problem, settings) if start is None else start[:1]
            quick = Statistics(backend=settings.backend, stopped_by=reason)
            return Result(row, problem.cost(row), quick, problem)

        def note(progress: Progress) -> None:
            with self._lock:
                self._running[number] = progress
                self._note_time()
            if self._team.stopped():
                raise KeyboardInterrupt

        return best_of(problem, upper_layers.solve(problem, settings, note), start)

    @property
    def _watch(self) -> Stopwatch:
        """The clock of this thread's lane, which stops while the thread waits for kernels."""
        if not hasattr(self._lane, "watch"):
            self._lane.watch = Stopwatch.of(self.request.settings.seconds)
        watch: Stopwatch = self._lane.watch
        return watch

    def _share(self) -> float:
        """Return the seconds for the next problem of this thread's lane."""
        with self._lock:
            waiting, self._waiting = self._waiting, self._waiting - 1
        return self._watch.left / math.ceil(waiting / self._team.lanes)

    def _note_time(self) -> None:
        self._counts.seconds = max(self._counts.seconds, self._watch.elapsed)

    def _report(self) -> None:
        with self._lock:
            running = list(self._running.values())
            counts, total, done = replace(self._counts), self._total, self._done
        for name in REPORTED:
            setattr(
                counts, name, sum((getattr(one, name) for one in running), getattr(counts, name))
            )
        costs = [one.best_cost for one in running if one.best_cost < math.inf]
        self.request.report(counts, ManyProgress(sum(costs, total), done + len(costs), done))
