"""Search of asymmetric problems by searches of symmetric ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.runs.acceptance import BetterOrEqual
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.engines import compiling_ahead
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.problem.two_nodes import TwoNodes
from gpu_ls_plugin.tours.searches.call import Call
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback, Progress, Result
    from gpu_ls_plugin.tours.problem.tsp import TSP


def _default_search() -> IteratedLocalSearch:
    repair = LocalSearch([LinKernighan(3)], candidates=Nearest(10))
    return IteratedLocalSearch(repair, accept=BetterOrEqual())


@dataclass(frozen=True)
class Symmetrised(compiling_ahead.CompilesAhead):
    """Search tours of an asymmetric problem as those of a symmetric one with two nodes a city.

    Lin-Kernighan moves and edge assembly, which asymmetric lengths do not allow, work there. The
    symmetric problem is a matrix of 4 n^2 lengths. Symmetric problems are searched as they are.

    Parameters
    ----------
    search : IteratedLocalSearch
        Of the symmetric problem. Levels of acceptance are in mean lengths of its tours, which are
        far longer: take a rule without any, such as `BetterOrEqual`.

    Raises
    ------
    InvalidTypeError
        The search is of another kind.
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
            Not changed. NumPy, or CuPy with the result on the same device.
        seed, budget, backend, device, memory_limit, first_row
            As of an `IteratedLocalSearch`.
        callback : callable, optional
            Called with a `Progress` after each launch.

        Returns
        -------
        Result
            As an `IteratedLocalSearch` returns it: row r comes from tour r and never costs more,
            but where chains cooperate rows are sorted by cost. After Ctrl-C what was found so far,
            with `statistics.interrupted`.

        Raises
        ------
        UnsupportedProblemError
            Asymmetric lengths are not integers, or tours cost more than these.
        InvalidProblemError
            Twice n times the longest length is too large for a matrix.
        InvalidTourError, InvalidTypeError, InsufficientMemoryError
            As an `IteratedLocalSearch`.
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
                twin = TwoNodes(whole)
                rows = twin.rows(call.backend.to_numpy(call.tours))
            self._search(call, twin, rows)
            return call.result(self, call.referee())

    def _search(self, call: Call, twin: TwoNodes, rows: Any) -> None:
        """Let the rows be searched in the time that is left, and the call have what was found."""
        begin, budget, offset = call.stopwatch.elapsed, call.stopwatch.rest, twin.offset
        if budget.target is not None:
            budget = replace(budget, target=budget.target + offset)
        callback = call.callback

        def told(progress: Progress) -> None:
            assert callback is not None
            callback(
                replace(
                    progress,
                    elapsed=begin + progress.elapsed,
                    best_cost=progress.best_cost - offset,
                    mean_cost=progress.mean_cost - offset,
                    best_tours=None,  # of routes, which are not searched here
                )
            )

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
        call.statistics.history = [
            replace(
                point,
                elapsed=begin + point.elapsed,
                best_cost=point.best_cost - offset,
                mean_cost=point.mean_cost - offset,
            )
            for point in found.statistics.history
        ]

    def compile_batch(self, problem: Problem, tours: Any, backend: Backend) -> None:
        """Compile what a batch like `tours` needs."""
        self._compile_ahead(tour_problem(problem), tours, backend, None)

    def _compile_ahead(
        self, problem: TSP, tours: Any, backend: str | Backend, device: int | None
    ) -> None:
        if problem.symmetric:
            self.search._compile_ahead(problem, tours, backend, device)
            return
        _check(problem)
        twin = TwoNodes(problem)
        self.search._compile_ahead(twin.tsp, twin.rows(tours), backend, device)


def _check(problem: TSP) -> None:
    """Raise UnsupportedProblemError where costs are not sums of integer lengths alone."""
    if not TwoNodes.serves(problem):
        raise UnsupportedProblemError(
            f"problem: {problem!r} has no symmetric one with two nodes a city, which takes integer "
            "lengths, the same for all rows, and nothing beside them; search by "
            "IteratedLocalSearch(LocalSearch([ThreeOpt(), OrOpt(3)]))"
        )
