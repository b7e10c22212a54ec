"""Search of asymmetric problems as symmetric ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.runs.acceptance import BetterOrEqual
from gpu_ls_plugin.tours.candidates.reduced_costs import ReducedCosts
from gpu_ls_plugin.tours.engines import compiling_ahead
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.problem.symmetric_twin import SymmetricTwin
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch
from gpu_ls_plugin.tours.searches.search_call import Call

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback, Progress, Result
    from gpu_ls_plugin.tours.problem.tsp import TSP


def _default_search() -> IteratedLocalSearch:
    repair = LocalSearch([LinKernighan(3)], candidates=ReducedCosts(8))
    return IteratedLocalSearch(repair, accept=BetterOrEqual())


@dataclass(frozen=True)
class Symmetrised(compiling_ahead.CompilesAhead):
    """Search an asymmetric problem as a symmetric one with two nodes per city.

    The transformation (Jonker and Volgenant 1983) allows Lin-Kernighan moves and edge assembly,
    which need symmetric lengths. The symmetric problem is a matrix of 4 n^2 lengths. Symmetric
    problems are searched directly.

    Parameters
    ----------
    search : IteratedLocalSearch
        Searches the symmetric problem. The levels of an acceptance rule grow with the lengths of a
        problem. In the symmetric problem, lengths are far larger, so levels would be too large: use
        a rule without levels, such as `BetterOrEqual`.

    Raises
    ------
    InvalidTypeError
        `search` is not an `IteratedLocalSearch`.
    """

    search: IteratedLocalSearch = field(default_factory=_default_search)

    name = "symmetrised"

    def __post_init__(self) -> None:
        wanted = "IteratedLocalSearch"
        checks.fields(self, checks.instance, "search", kind=IteratedLocalSearch, wanted=wanted)

    @warns_if_infeasible
    def __call__(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str | Backend = "auto",
        device: int | None = None,
        callback: Callback | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
    ) -> Result:
        """Improve a batch of tours.

        Parameters
        ----------
        problem : TSP
        tours : array, shape (P, n), integer
            NumPy or CuPy array, not changed. For CuPy, the result is on the same device.
        seed, budget, backend, device, memory_limit, first_row
            As in `IteratedLocalSearch`.
        callback : callable, optional
            Called with a `Progress` after each launch.

        Returns
        -------
        Result
            The same as that of `IteratedLocalSearch`.

        Raises
        ------
        UnsupportedProblemError
            Asymmetric lengths are not integers, or the problem has an objective.
        InvalidProblemError
            2 n times the longest length is too large for a matrix.
        InvalidTourError, InvalidTypeError, InsufficientMemoryError
            As in `IteratedLocalSearch`.
        """
        given: dict[str, Any] = {"seed": seed, "first_row": first_row}
        place: dict[str, Any] = {"backend": backend, "device": device}
        limits: dict[str, Any] = {"budget": budget, "memory_limit": memory_limit}
        whole = tour_problem(problem)
        if whole.symmetric:
            return self.search(problem, tours, callback=callback, **given, **place, **limits)
        _check(whole)
        call = Call(problem, [], tours, callback=callback, **given, **place, **limits)
        with call.backend.current():
            with call.statistics.phase("two nodes"):
                twin = SymmetricTwin(whole)
                rows = twin.rows(call.backend.to_numpy(call.tours))
            self._search(call, twin, rows)
            return call.result(self, call.referee())

    def _search(self, call: Call, twin: SymmetricTwin, rows: Any) -> None:
        """Search the rows in the remaining time; store tours and statistics in the call."""
        begin, budget, offset = call.stopwatch.elapsed, call.stopwatch.rest, twin.offset
        if budget.target is not None:
            budget = replace(budget, target=budget.target + offset)
        callback = call.callback

        def of_tours(point: Any) -> Any:  # a point of the history, or progress
            costs = {"best_cost": point.best_cost - offset, "mean_cost": point.mean_cost - offset}
            return replace(point, elapsed=begin + point.elapsed, **costs)

        def told(progress: Progress) -> None:
            assert callback is not None
            # Callbacks need the best tours only if the problem has constraints.
            callback(replace(of_tours(progress), best_tours=None))

        found = self.search(
            twin.tsp,
            rows,
            seed=call.seed,
            budget=budget,
            backend=call.backend,
            callback=None if callback is None else told,
            memory_limit=call.memory(),
            first_row=call.first_row,
        )
        call.tours[:] = call.backend.xp.asarray(twin.tours(found.tours))
        before, call.statistics = call.statistics, found.statistics
        call.statistics.phases = before.phases | found.statistics.phases
        call.statistics.history = [of_tours(point) for point in found.statistics.history]

    def compile_batch(self, problem: Problem, tours: Any, backend: Backend) -> None:
        self._compile_ahead(tour_problem(problem), tours, backend, None)

    def _compile_ahead(
        self, problem: TSP, tours: Any, backend: str | Backend, device: int | None
    ) -> None:
        if problem.symmetric:
            self.search._compile_ahead(problem, tours, backend, device)
            return
        _check(problem)
        twin = SymmetricTwin(problem)
        self.search._compile_ahead(twin.tsp, twin.rows(tours), backend, device)


def _check(problem: TSP) -> None:
    """Raise UnsupportedProblemError unless costs are integer lengths alone."""
    if not SymmetricTwin.serves(problem):
        raise UnsupportedProblemError(
            f"problem: {problem!r} has no symmetric form with two nodes per city, which needs "
            "integer lengths, the same for all rows, and no objective; search with "
            "IteratedLocalSearch(LocalSearch([ThreeOpt(), OrOpt(3)]))"
        )
