"""`solve_many`: solves many problems in one call."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InfeasibleWarning
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.many_result import ManyResult
from gpu_ls_plugin.core.result import Statistics, record_point
from gpu_ls_plugin.runs.many import ManyProgress, ManyRequest, joint_reason
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.many_inputs import groups_of, problems_of, starts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.runs.many import ManyFound


def solve_many(
    problems: Sequence[Problem] | ArrayLike | Sequence[ArrayLike],
    seconds: float = 1.0,
    *,
    seed: int | None = 1,
    backend: str = "auto",
    metric: Any = None,
    start: str | ArrayLike | Sequence[ArrayLike | None] | None = None,
    replicas: int | None = None,
    kicks: int | None = None,
    callback: Callback | None = None,
    memory_limit: int | None = None,
) -> ManyResult:
    """Return the best solution found for each of many problems, within one time limit.

    Problems of several domains may be mixed; each domain gets a share of the time by the number of
    its problems. Tours are searched side by side: each has one chain of kicks, or several if there
    are too few to occupy a GPU. A CPU runs as many chains per tour as the time allows, up to eight,
    and crosses them. Tours of up to seven cities are optimal; those of more than 5,000 cities are
    solved one by one. Problems of other domains are solved as by `solve`, several at a time: on a
    CPU, one on each core; if there are fewer problems than cores, they share the cores.

    Parameters
    ----------
    problems : sequence of Problem, or array_like, shape (B, n, 2)
        Problems of any domains and sizes (a TSP must have coordinates); or just coordinates of
        tours: a NumPy or CuPy array, or a list of arrays (n, 2) of any sizes.
    seconds : float
        Wall time of the whole call, from the moment when the first kernels are ready; infinite for
        no limit. A problem that is not reached in time gets a constructed solution.
    seed : int or None
        Seed of the random numbers; None draws one. A time limit still makes results vary. With
        `kicks` and infinite `seconds`, problem k of a domain that searches its problems one by one
        gets the result of ``solve(problem, seed=seed + k)`` on one core.
    backend : {"auto", "cpu", "cuda"}
        Backend of the search.
    metric : str or Metric, optional
        Metric of coordinates; by default "EUC", real Euclidean lengths.
    start : str or array_like of integers, optional
        Rows to start from: an array (B, n) or (B, P, n), or a list with an array (n,) or (P, n) for
        each problem, or None for problems without rows. No result is worse than the best of its
        rows. A string names a registered construction, for all problems.
    replicas : int, optional
        Number of chains per tour; the result is the best of them. By default, as many as a GPU can
        run at once or a CPU has time for; with `kicks`, a CPU runs one. Other domains ignore it.
    kicks : int, optional
        Maximum number of kicks per chain, or of rounds per state. With infinite `seconds`, results
        then do not depend on the number of cores, and chains of tours are the same on every
        backend. By default, only time limits the kicks; on tours, a CPU then tries fewer moves and
        makes more kicks.
    callback : callable, optional
        Called with a `Progress` after each launch of about 50 ms, or every 50 ms: `best_cost` is
        the sum of the costs of all problems, infinite until each has a solution; `mean_cost` is the
        mean of those that have one; `done` counts finished problems.
    memory_limit : int, optional
        Maximum number of bytes of memory to use for tours. Those that do not fit together are
        searched in batches, which share the time.

    Returns
    -------
    ManyResult
        ``found[k]`` is the `Result` of problem k. After Ctrl-C, the solutions found so far;
        `statistics.interrupted` is then True.

    Raises
    ------
    InvalidProblemError, InvalidTypeError
        There is no problem, or a row is not a problem; the error names the row.
    InvalidTourError
        `start` contains rows that are no solutions; the error names the problem.
    UnsupportedProblemError
        A TSP is a matrix, or has an objective besides its length.
    InvalidParameterError
        A parameter is out of range, or `metric` is given together with problems.
    InsufficientMemoryError
        Not even one problem fits into memory.
    KeyboardInterrupt
        Ctrl-C was pressed before there were any solutions.

    Warns
    -----
    InfeasibleWarning
        Rows of some problems break constraints.

    Examples
    --------
    >>> found = gls.solve_many([gls.CVRP.read(path) for path in paths], 60)  # doctest: +SKIP
    >>> [result.best_cost for result in found]  # doctest: +SKIP
    """
    checks.callback(callback)
    call = ManyCall.of(
        problems,
        seconds,
        seed=seed,
        backend=backend,
        metric=metric,
        start=start,
        replicas=replicas,
        kicks=kicks,
        memory_limit=memory_limit,
    )
    found = call.solve(callback)
    warn_of(found)
    return found


@dataclass(frozen=True)
class ManyCall:
    """The checked arguments of a call of `solve_many`; it can be pickled and split into shares.

    Parameters
    ----------
    problems : sequence of Problem
    indices : int64 array, shape (B,)
        Places of the problems in the caller's list.
    settings : Settings
    starts : list, optional
        For each problem, checked rows, the cheapest first, or None.
    replicas, memory_limit
        See `solve_many`.
    """

    problems: Sequence[Any]
    indices: NDArray[np.int64]
    settings: Settings
    starts: Sequence[NDArray[np.int32] | None] | None = None
    replicas: int | None = None
    memory_limit: int | None = None

    @classmethod
    def of(
        cls,
        problems: Any,
        seconds: float,
        *,
        seed: int | None,
        backend: str,
        metric: Any,
        start: Any,
        replicas: int | None,
        kicks: int | None,
        memory_limit: int | None,
    ) -> ManyCall:
        """Check the arguments of `solve_many`, whose errors it raises."""
        name = start if isinstance(start, str) else None
        settings = Settings(seconds, seed=seed, backend=backend, kicks=kicks, start=name)
        if replicas is not None:
            replicas = checks.integer("replicas", replicas, least=1, most=checks.MOST_INT)
        if memory_limit is not None:
            memory_limit = checks.integer("memory_limit", memory_limit, least=0)
        read = problems_of(problems, metric)
        starts = starts_of(read, start)
        return cls(read, np.arange(len(read)), settings, starts, replicas, memory_limit)

    def share(self, places: slice) -> ManyCall:
        """Return a call for some of the problems."""
        starts = None if self.starts is None else self.starts[places]
        return replace(
            self, problems=self.problems[places], indices=self.indices[places], starts=starts
        )

    def solve(self, callback: Callback | None = None) -> ManyResult:
        """Let each domain solve its problems."""
        backend, groups = get_backend(self.settings.backend), groups_of(self.problems)
        course = _Course(self.settings.seconds, callback, len(self.problems))
        parts: list[tuple[NDArray[np.int64], ManyFound]] = []
        with backend.current():
            for domain, places in groups.items():
                request = self._request(backend, places, course.share(len(places)), course.report)
                found = domain.solve_many(request)
                course.add(found, len(places))
                parts.append((places, found))
        return joined(self.problems, parts, course.statistics)

    def _request(
        self, backend: Backend, places: NDArray[np.int64], seconds: float, report: Any
    ) -> ManyRequest:
        """Return the request to the domain of the problems at some places."""
        problems, starts = self.problems, self.starts
        if len(places) < len(problems):
            problems = [problems[place] for place in places]
            starts = None if starts is None else [starts[place] for place in places]
        return ManyRequest(
            problems,
            self.indices[places],
            replace(self.settings, seconds=seconds),
            backend,
            starts,
            self.replicas,
            self.memory_limit,
            report,
        )


@dataclass
class _Course:
    """The course of a call through the domains: its time, its counts and its history."""

    seconds: float
    callback: Callback | None
    count: int  # number of all problems

    statistics: Statistics = field(default_factory=Statistics)
    total: float = 0  # sum of the costs of the problems of finished domains
    done: int = 0  # number of these problems
    reasons: list[str] = field(default_factory=list)  # why their searches have ended

    def share(self, number: int) -> float:
        """Return the seconds for the next domain, which has `number` problems."""
        if self.statistics.interrupted:
            return 0.0
        left = max(0.0, self.seconds - self.statistics.seconds)
        return left * number / (self.count - self.done)

    def report(self, counts: Statistics, now: ManyProgress) -> None:
        """Add a point to the history and call the callback."""
        joint = replace(self.statistics)  # with the same history
        joint.add_counts(counts)
        total, known = self.total + now.total, self.done + now.known
        best = total if known == self.count else math.inf
        mean = total / known if known else math.inf
        seconds = self.statistics.seconds + counts.seconds
        point = Point(seconds, joint.kicks, best, mean)
        record_point(joint, self.callback, point, self.count, done=self.done + now.done)

    def add(self, found: ManyFound, number: int) -> None:
        """Add the solutions and the counts of a domain."""
        own = self.statistics
        own.add(replace(found.statistics, history=[]))
        own.backend, own.seconds = found.statistics.backend, own.seconds + found.statistics.seconds
        self.reasons.append(found.statistics.stopped_by)
        own.stopped_by = joint_reason(self.reasons)
        self.total, self.done = self.total + found.costs.sum().item(), self.done + number
        if self.done == self.count:
            mean = self.total / self.count
            own.history.append(Point(own.seconds, own.kicks, self.total, mean))


def joined(
    problems: Sequence[Any],
    parts: Sequence[tuple[NDArray[np.int64], ManyFound]],
    statistics: Statistics,
) -> ManyResult:
    """Return solutions of all problems, given those at some places and those at others."""
    count = len(problems)
    costs = np.empty(count, np.result_type(*(found.costs for _, found in parts)))
    feasible = np.empty(count, np.bool_)
    rows: list[Any] = [None] * count
    own: list[Any] = [statistics] * count
    for places, found in parts:
        costs[places], feasible[places] = found.costs, found.feasible
        for number, place in enumerate(places.tolist()):
            rows[place] = found.rows[number]
            if found.own is not None:
                own[place] = found.own[number]
    return ManyResult(_stacked(rows), costs, statistics, feasible, problems, own)


def _stacked(rows: list[Any]) -> Any:
    """Return rows as one array if they are equally long."""
    return np.stack(rows) if len({len(row) for row in rows}) == 1 else rows


def warn_of(found: ManyResult) -> None:
    """Warn the caller of the calling function if rows break constraints."""
    broken = np.flatnonzero(~found.feasible)
    if len(broken):
        warnings.warn(
            f"result: the best rows of {len(broken):,} of {len(found):,} problems break a "
            f"constraint, the first of them that of problem {broken[0]}; search longer, or check "
            "that the constraints can be kept",
            InfeasibleWarning,
            stacklevel=3,
        )
