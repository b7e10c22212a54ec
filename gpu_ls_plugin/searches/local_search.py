"""Local search of whole batches of tours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.backends.evaluation import tour_costs
from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.candidates import All, Candidates
from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.neighbourhoods import Neighbourhood, TwoOpt
from gpu_ls_plugin.pivoting import Best
from gpu_ls_plugin.problems.tsp import check_problem
from gpu_ls_plugin.result import Progress, Result, Statistics
from gpu_ls_plugin.searches import observers
from gpu_ls_plugin.searches.driver import drive
from gpu_ls_plugin.searches.two_opt_climb import MAX_MOVES_PER_PASS, OUT_OF_MOVES, TwoOptClimb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.budget import Budget
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Callback

NO_LIMIT = 2**62


@dataclass(frozen=True)
class LocalSearch:
    """Improve tours until none of their neighbours is better.

    The exhaustive 2-opt climb (O'Neil and Burtscher 2015): each pass takes the best of all
    n (n - 3) / 2 moves, ties to the smallest positions. All tours of a batch climb at the same
    time, on the device until all are done.

    Parameters
    ----------
    neighbourhoods : sequence of Neighbourhood
        Moves to try: `[TwoOpt()]`.
    candidates : Candidates
        Cities to link a city to: `All()`.
    pivoting : Best
        Which improving move a pass takes.
    moves_per_pass : int
        Up to this many moves (1 to 32) are applied after one evaluation: the best, and further
        ones that gain at least half as much and do not overlap. More than 1 is faster and
        leads to other, on average equally good, local optima. It pays on a GPU.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A part is of the wrong kind, or the combination is not supported.
    """

    neighbourhoods: Sequence[Neighbourhood] = (TwoOpt(),)
    candidates: Candidates = field(default_factory=All)
    pivoting: Best = field(default_factory=Best)
    moves_per_pass: int = 1

    name = "local_search"

    def __post_init__(self) -> None:
        if not isinstance(self.neighbourhoods, (list, tuple)):
            raise InvalidTypeError(
                f"neighbourhoods: {self.neighbourhoods!r} is no list, such as [TwoOpt()]"
            )
        parts = tuple(self.neighbourhoods)
        object.__setattr__(self, "neighbourhoods", parts)
        for part in parts:
            if not isinstance(part, Neighbourhood):
                raise InvalidTypeError(f"neighbourhoods: {part!r} is no neighbourhood")
        if parts != (TwoOpt(),):
            raise InvalidParameterError(f"neighbourhoods: {list(parts)} is not [TwoOpt()]")
        if not isinstance(self.candidates, Candidates):
            raise InvalidTypeError(f"candidates: {self.candidates!r} is no candidate set")
        if not isinstance(self.pivoting, Best):
            raise InvalidTypeError(f"pivoting: {self.pivoting!r} is not Best()")
        if not isinstance(self.candidates, All):
            raise InvalidParameterError(
                f"candidates: {self.candidates!r} cannot be combined with Best(); use All()"
            )
        checks.integer("moves_per_pass", self.moves_per_pass, least=1, most=MAX_MOVES_PER_PASS)

    def __call__(
        self,
        problem: TSP,
        tours: Any,
        *,
        seed: int = 0,
        budget: Budget | None = None,
        backend: str = "auto",
        device: int | None = None,
        callback: Callback | None = None,
        memory_limit: int | None = None,
    ) -> Result:
        """Improve a batch of tours.

        Parameters
        ----------
        problem : TSP
            With symmetric distances.
        tours : array, shape (P, n), integer
            Not changed. NumPy, or CuPy with the result on the same device.
        seed : int
            Not used: the climb is deterministic.
        budget : Budget, optional
            `moves` are per tour; `kicks` do not apply.
        backend, device
            Where to search; see `get_backend`.
        callback : callable, optional
            Called with a `Progress` after each launch of about 50 ms.
        memory_limit : int, optional
            Bytes that may be used; larger batches are searched in parts.

        Returns
        -------
        Result
            Row r descends from row r of `tours` and is never worse. After Ctrl-C the tours as far
            as they were improved, with `statistics.interrupted`.

        Raises
        ------
        UnsupportedProblemError
            The distances are asymmetric.
        InvalidTourError, InvalidTypeError
            `tours` are no permutations of the cities.
        InsufficientMemoryError
            Not even one tour fits.
        """
        stopwatch = Stopwatch(budget)
        check_problem(problem)
        checks.seed(seed)
        checks.callback(callback)
        for part in self.neighbourhoods:
            part.check(problem)
        chosen = get_backend(backend, device, tours=tours)
        improved = arrays.take_tours(chosen, problem, tours)
        before, to_host = None, not arrays.on_gpu(tours)
        if not problem.integer:
            before = (improved.copy(), _refereed(chosen, problem, improved, to_host=to_host))
        statistics = Statistics(backend=chosen.name, climbs=len(improved))
        size = chosen.rows_that_fit(
            TwoOptClimb.bytes_per_tour(problem.n, self.moves_per_pass),
            chosen.metric_data(problem).nbytes,
            memory_limit,
        )
        for begin in range(0, len(improved), size):
            rows = slice(begin, begin + size)
            self._improve(chosen, problem, improved, rows, stopwatch, callback, statistics)
            if statistics.stopped_by in ("seconds", "target", "interrupt"):
                break
        costs = _refereed(chosen, problem, improved, to_host=to_host)
        if before is not None:
            _undo_rounding(improved, costs, *before)
        statistics.seconds = stopwatch.elapsed
        observers.notify(problem, self, statistics)
        given = arrays.give(chosen, improved, like=tours)
        return Result(given, arrays.give(chosen, costs, like=tours), statistics)

    def _improve(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        rows: slice,
        stopwatch: Stopwatch,
        callback: Callback | None,
        statistics: Statistics,
    ) -> None:
        """Climb with some rows in place and add to the statistics."""
        budget = stopwatch.budget
        part = tours[rows]
        limit = NO_LIMIT if budget.moves is None else min(budget.moves, NO_LIMIT)
        climb = TwoOptClimb(backend, problem, part, self.moves_per_pass, limit)
        passes, moves = statistics.passes, statistics.moves

        def count() -> None:
            statistics.passes = passes + int(climb.pass_counts.sum())
            statistics.moves = moves + int(climb.move_counts.sum())
            statistics.evaluations = statistics.passes * climb.moves_per_evaluation()

        def report(unfinished: int) -> int | float:
            costs = tour_costs(backend, problem, tours)
            best: int | float = costs.min().item()
            if callback is not None:
                count()
                callback(
                    Progress(
                        elapsed=stopwatch.elapsed,
                        best_cost=best,
                        mean_cost=float(costs.mean()),
                        moves=statistics.moves,
                        evaluations=statistics.evaluations,
                        done=rows.start + len(part) - unfinished,
                        total=len(tours),
                    )
                )
            return best

        watched = callback is not None or budget.target is not None
        stopped_by, launches = drive(climb, stopwatch, report if watched else None)
        count()
        statistics.launches += launches
        if stopped_by == "optimum" and bool((climb.states == OUT_OF_MOVES).any()):
            stopped_by = "moves"
        if stopped_by != "optimum":
            statistics.stopped_by = stopped_by


def _refereed(backend: Backend, problem: TSP, tours: Any, *, to_host: bool) -> Any:
    """Return costs: to the last bit as the referee adds them up where the tours go to the host."""
    if problem.integer or not to_host:
        return tour_costs(backend, problem, tours)
    return backend.xp.asarray(problem.cost(backend.to_numpy(tours)))


def _undo_rounding(tours: Any, costs: Any, tours_before: Any, costs_before: Any) -> None:
    """Put back rows whose real cost grew by rounding, although every single move improved."""
    worse = costs > costs_before
    if bool(worse.any()):
        tours[worse] = tours_before[worse]
        costs[worse] = costs_before[worse]
