"""What all calls to searches have in common: arguments, clock, turns that fit memory, results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT, Budget, Stopwatch
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.result import Result, Statistics, record_point
from gpu_ls_plugin.runs import observers
from gpu_ls_plugin.tours.kernels.evaluation import better, exact_costs, tour_costs
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback

NO_TOURS: Any = object()  # for a search that makes its own tours


class Call:
    """One call of a search: its checked arguments, its clock, its backend and its statistics.

    The constructor starts the clock. Later steps must run in ``with call.backend.current()``.

    Parameters
    ----------
    parts : sequence
        Parts of the search. Each has a method ``check(problem)``, which raises if the part cannot
        work on the problem.
    tours : array, shape (P, n), integer
        Not changed. `NO_TOURS` if the search makes its own tours.
    stopped_by : str
        The reason in `Statistics` if nothing else ends the search.
    seed, budget, backend, device, callback, memory_limit, first_row
        As in `LocalSearch`.

    Attributes
    ----------
    tours : array of the backend, shape (P, n), int32
        The search improves them in place.
    stopped : bool
        Whether the search must not start any more rows.
    """

    def __init__(
        self,
        problem: Problem,
        parts: Sequence[Any],
        tours: Any = NO_TOURS,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str | Backend = "auto",
        device: int | None = None,
        callback: Callback | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
        stopped_by: str = "optimum",
    ) -> None:
        self.stopwatch = Stopwatch(budget)
        self._asked = problem
        problem = tour_problem(problem)
        self.seed, self.first_row = checks.seed(seed), checks.first_row(first_row)
        checks.callback(callback)
        for part in parts:
            part.check(problem)
        self.problem, self.callback, self._like = problem, callback, tours
        self.backend = get_backend(backend, device, tours=tours)
        self.statistics = Statistics(backend=self.backend.name, stopped_by=stopped_by)
        self.stopped = False
        if tours is not NO_TOURS:
            with self.backend.current():
                self.tours = arrays.take_tours(self.backend, problem, tours)
                problem.require_rows(len(self.tours))
                self.statistics.climbs = len(self.tours)
                # Rounding may increase real costs although every move improves.
                self._given = None if problem.integer else self.tours.copy()
        self._memory_limit = memory_limit
        if memory_limit is not None:
            self._memory_limit = checks.integer("memory_limit", memory_limit, least=0)

    @property
    def budget(self) -> Budget:
        """The limits of the search."""
        return self.stopwatch.budget

    @property
    def max_moves(self) -> int:
        """The maximum number of moves that may be applied to a tour."""
        return NO_LIMIT if self.budget.moves is None else min(self.budget.moves, NO_LIMIT)

    def memory(self, needed: float = math.inf) -> int:
        """Return how many bytes may be used, or a lower bound if `needed` bytes are surely free."""
        return self.backend.memory(self._memory_limit, needed)

    def rows_that_fit(self, bytes_per_tour: int, rows: float = math.inf) -> int:
        """Return how many tours fit into memory; raise InsufficientMemoryError if none fits.

        This is quick if `rows` tours certainly fit.
        """
        fixed = metric_data(self.backend, self.problem).nbytes
        each = bytes_per_tour + self.problem.objective.kept_bytes(self.problem)
        return self.backend.rows_that_fit(each, fixed, self.memory(fixed + rows * each))

    def turns(self, bytes_per_tour: int) -> Iterator[slice]:
        """Yield slices of rows to search together, until the call is stopped."""
        size = self.rows_that_fit(bytes_per_tour, len(self.tours))
        if self.problem.rows is not None and size < self.problem.rows:
            raise InsufficientMemoryError(
                f"memory_limit: {size:,} of {self.problem.rows:,} tours fit, and rows with their "
                "own lengths are not searched in turns; search fewer at once"
            )
        for begin in range(0, len(self.tours), size):
            if self.stopped:
                return
            yield slice(begin, min(begin + size, len(self.tours)))

    def stop(self, reason: str) -> None:
        """Stop the call: search no more rows."""
        self.stopped, self.statistics.stopped_by = True, reason

    def end(self, reason: str) -> None:
        """Note why the search of some rows has ended; stop the call at a target or Ctrl-C."""
        self.stopped = self.stopped or reason in ("target", "interrupt")
        self.statistics.stopped_by = reason

    def report(
        self, costs: Any, tours: Callable[[], NDArray[Any]] | None = None, done: int = 0
    ) -> bool:
        """Record the state, call the callback and stop at the target.

        `costs` are the costs of the best tours, `tours` returns a copy of these tours on the host,
        and `done` tours are finished. Return whether the best cost has decreased.
        """
        point = self.point(costs)
        total, more = len(self.tours), {"done": done, "best_tours": tours}
        improved = record_point(self.statistics, self.callback, point, total, **more)
        if self.budget.target is not None and point.best_cost <= self.budget.target:
            self.stop("target")
        return improved

    def point(self, costs: Any) -> Point:
        """Return a point of the history: now, with the costs of all tours."""
        elapsed, kicks = self.stopwatch.elapsed, self.statistics.kicks
        costs = self.backend.to_numpy(costs)
        return Point(elapsed, kicks, costs.min().item(), float(costs.mean()))

    def referee(self) -> Any:
        """Return the exact costs (P,); restore rows that rounding has made worse."""
        costs = exact_costs(self.backend, self._asked, self.tours)
        if self._given is not None:
            before = exact_costs(self.backend, self._asked, self._given)
            worse = self._worsened(self._given, costs > before)
            if bool(self.backend.to_numpy(worse).any()):
                self.tours[worse], costs[worse] = self._given[worse], before[worse]
        return costs

    def _worsened(self, given: Any, dearer: Any) -> Any:
        """Return which of the dearer rows are worse than the initial rows, as bools (P,).

        A feasible tour is better than an infeasible one, whatever their costs.
        """
        problem, backend = self.problem, self.backend
        objective = problem.objective
        if objective.length_alone or not bool(backend.to_numpy(dearer).any()):
            return dearer
        if objective.keeps and objective.proven:  # then the costs of the kernels decide
            before, now = (tour_costs(backend, problem, tours) for tours in (given, self.tours))
            return dearer & (now > before)
        known = ((rows, exact_costs(backend, problem, rows)) for rows in (given, self.tours))
        return dearer & better(backend, problem, *known)

    def last_point(self, costs: Any) -> Point:
        """Return the last point of the history, with exact costs."""
        costs = self.backend.to_numpy(costs)
        best = Result(self.tours, costs, problem=self._asked).best_cost
        elapsed, kicks = self.stopwatch.elapsed, self.statistics.kicks
        return Point(elapsed, kicks, best, float(costs.mean()))

    def result(self, search: object, costs: Any) -> Result:
        """Return the result, with arrays of the same library as the input; notify observers."""
        self.statistics.seconds = self.stopwatch.elapsed
        observers.notify(self._asked, search, self.statistics)
        tours, costs = (
            arrays.give(self.backend, found, like=self._like) for found in (self.tours, costs)
        )
        return Result(tours, costs, self.statistics, self._asked)
