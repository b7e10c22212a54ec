"""Local search of whole batches of tours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.backends.evaluation import tour_costs
from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.candidates import All, Candidates, Nearest
from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.neighbourhoods import FilteredNeighbourhood, Neighbourhood, OrOpt, TwoOpt
from gpu_ls_plugin.pivoting import First, Pivoting
from gpu_ls_plugin.plugins.registry import registry
from gpu_ls_plugin.problems.tsp import check_problem
from gpu_ls_plugin.result import Progress, Result, Statistics, summed
from gpu_ls_plugin.searches import engines, observers
from gpu_ls_plugin.searches.audit import Audit, foreign_names
from gpu_ls_plugin.searches.driver import drive
from gpu_ls_plugin.searches.engine import NOTHING_KEPT, OUT_OF_MOVES, moves_by_name
from gpu_ls_plugin.searches.exhaustive.two_opt_climb import MAX_MOVES_PER_PASS
from gpu_ls_plugin.tours.tour_layouts import LAYOUTS
from gpu_ls_plugin.trust import foreign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.budget import Budget
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Callback

NO_LIMIT = 2**62


@dataclass(frozen=True)
class LocalSearch:
    """Improve tours until the search finds no better neighbour.

    All tours of a batch are searched at the same time, on the device until all are done.

    - `First()`: the cities wait in a queue (don't-look bits); the best move at the city in front is
      applied, and the ends of the edges that changed join the queue again (Bentley 1992; Delevacq
      et al. 2012, 4.1). Any list of neighbourhoods, on candidate lists.
    - `Multi()`: several cities are looked at side by side, and all of their moves that are
      independent are applied in one pass over the tour (Rios et al. 2017). Also any list of
      neighbourhoods, on candidate lists.
    - `Best()`: each pass takes the best move of all cities, on candidate lists (Fosin et al. 2013)
      or over `All()` cities: exhaustive 2-opt (O'Neil and Burtscher 2015) and 3-opt (Schulz 2013).
    - A `FilteredNeighbourhood`, with `Best()` or `First()`: the moves of a complete neighbourhood
      that a filter keeps (Schulz 2013, section 7).
    - `RandomK(k)`: each pass takes the best of k random moves over `All()` cities (Delevacq et al.
      2012, 4.2).

    Parameters
    ----------
    neighbourhoods : sequence of Neighbourhood or str
        Moves to try, combined in one pass; parts or their registered names.
    candidates : Candidates or str, optional
        Cities to link a city to: `Nearest(10)`, or `All()` where the neighbourhood is filtered.
    pivoting : Pivoting or str
        Which improving move is taken.
    moves_per_pass : int
        Of exhaustive 2-opt with `Best()`: up to this many moves (1 to 32) are applied after one
        evaluation: the best, and further ones that gain at least half as much and do not overlap.
        More than 1 is faster and leads to other, on average equally good, local optima. It pays
        on a GPU.
    layout : str
        Of `First()` on a GPU: "thread", "warp" or "block" holds a tour, "global" is a block with
        the tour in global memory; "auto" chooses. Of `Multi()`: "global", or a block with the tour
        in shared memory as long as it fits. The result is the same.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A part is of the wrong kind or unknown, or the combination is not supported.
    """

    # A name is replaced by the part that it stands for.
    neighbourhoods: Sequence[Any] = (TwoOpt(), OrOpt(3))
    candidates: Any = None
    pivoting: Any = field(default_factory=First)
    moves_per_pass: int = 1
    layout: str = "auto"

    name = "local_search"

    def __post_init__(self) -> None:
        if isinstance(self.neighbourhoods, str) or not isinstance(
            self.neighbourhoods, (list, tuple)
        ):
            raise InvalidTypeError(
                f"neighbourhoods: {self.neighbourhoods!r} is no list, such as [TwoOpt()]"
            )
        parts = tuple(
            _part("neighbourhood", "neighbourhoods", part, Neighbourhood)
            for part in self.neighbourhoods
        )
        object.__setattr__(self, "neighbourhoods", parts)
        if self.candidates is None:
            filtered = any(isinstance(part, FilteredNeighbourhood) for part in parts)
            object.__setattr__(self, "candidates", All() if filtered else Nearest())
        for kind, base in (("candidates", Candidates), ("pivoting", Pivoting)):
            object.__setattr__(self, kind, _part(kind, kind, getattr(self, kind), base))
        most = MAX_MOVES_PER_PASS
        checks.fields(self, checks.integer, "moves_per_pass", least=1, most=most)
        checks.fields(self, checks.choice, "layout", known=("auto", *LAYOUTS))
        if not parts:
            raise InvalidParameterError("neighbourhoods: the list is empty; give it TwoOpt()")
        engines.choose(self)

    @property
    def parts(self) -> tuple[Any, ...]:
        """What kernels are composed of, beside the metric."""
        return (*self.neighbourhoods, self.pivoting)

    def __call__(
        self,
        problem: TSP,
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
            With symmetric distances.
        tours : array, shape (P, n), integer
            Not changed. NumPy, or CuPy with the result on the same device.
        seed : int or None
            Of the random numbers of `RandomK` and `RandomKeep`; other parts are deterministic. The
            same seed gives the same result: pass another one for each call, or None to draw one.
        budget : Budget, optional
            `moves` are per tour; `kicks` do not apply.
        backend, device
            Where to search; see `get_backend`.
        callback : callable, optional
            Called with a `Progress` after each launch of about 50 ms.
        memory_limit : int, optional
            Bytes that may be used; larger batches are searched in parts.
        first_row : int
            Number of the first row, where the batch is a part of a larger one: row r has the
            random moves of row `first_row` + r.

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
        key, first = checks.seed(seed), checks.first_row(first_row)
        checks.callback(callback)
        for part in self.neighbourhoods:
            part.check(problem)
        chosen = get_backend(backend, device, tours=tours)
        with chosen.current():
            improved = arrays.take_tours(chosen, problem, tours)
            before, to_host = None, not arrays.on_gpu(tours)
            if not problem.integer:
                before = (improved.copy(), refereed(chosen, problem, improved, to_host=to_host))
            statistics = Statistics(backend=chosen.name, climbs=len(improved))
            memory = chosen.memory(memory_limit)
            maker = engines.choose(self)(self, chosen, problem, key, memory)
            size = chosen.rows_that_fit(
                maker.bytes_per_tour, chosen.metric_data(problem).nbytes, memory_limit
            )
            in_time = engines.ready(self, chosen, problem, stopwatch.left)
            if not in_time:
                statistics.stopped_by = "seconds"
            for begin in range(0, len(improved) if in_time else 0, size):
                rows = slice(begin, begin + size)
                self._improve(maker, improved, rows, first, stopwatch, callback, statistics)
                if statistics.stopped_by in ("seconds", "target", "interrupt"):
                    break
            costs = refereed(chosen, problem, improved, to_host=to_host)
            if before is not None:
                undo_rounding(improved, costs, *before)
            statistics.seconds = stopwatch.elapsed
            observers.notify(problem, self, statistics)
            given = arrays.give(chosen, improved, like=tours)
            return Result(given, arrays.give(chosen, costs, like=tours), statistics)

    def _improve(
        self,
        maker: engines.Maker,
        tours: Any,
        rows: slice,
        first_row: int,
        stopwatch: Stopwatch,
        callback: Callback | None,
        statistics: Statistics,
    ) -> None:
        """Climb with some rows in place and add to the statistics."""
        budget = stopwatch.budget
        part = tours[rows]
        limit = NO_LIMIT if budget.moves is None else min(budget.moves, NO_LIMIT)
        climb = maker.make(part, first_row + rows.start, limit)
        audit = Audit(climb, foreign_names(climb.problem, self.parts))
        passes, moves = statistics.passes, statistics.moves
        evaluations, moves_by = statistics.evaluations, statistics.moves_by

        def count() -> None:
            statistics.passes = passes + int(climb.pass_counts.sum())
            made = int(climb.move_counts.sum())
            statistics.moves = moves + made
            statistics.evaluations = evaluations + climb.evaluations()
            by_name = moves_by_name(self.neighbourhoods, made, climb.moves_by)
            statistics.moves_by = summed(moves_by, by_name)

        def report(unfinished: int) -> int | float:
            costs = tour_costs(climb.backend, climb.problem, tours)
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
        stopped_by, launches = drive(climb, stopwatch, audit, report if watched else None)
        audit.compare()
        count()
        statistics.launches += launches
        if stopped_by == "optimum" and bool((climb.states == OUT_OF_MOVES).any()):
            stopped_by = "moves"
        if stopped_by == "optimum" and bool((climb.states == NOTHING_KEPT).all()):
            stopped_by = "filter"
        if stopped_by != "optimum":
            statistics.stopped_by = stopped_by


def _part(kind: str, parameter: str, given: object, base: type) -> Any:
    """Return a part, made by its registered name if need be."""
    made = registry.lookup(kind, given)() if isinstance(given, str) else given
    if not isinstance(made, base):
        raise InvalidTypeError(
            f"{parameter}: {given!r} is no {kind} part; see gpu-ls operators for those there are"
        )
    return made


def refereed(backend: Backend, problem: TSP, tours: Any, *, to_host: bool) -> Any:
    """Return costs: to the last bit as the referee adds them up where the tours go to the host.

    A metric that somebody else wrote is not believed to add up integers alike.
    """
    if not foreign(problem.metric) and (problem.integer or not to_host):
        return tour_costs(backend, problem, tours)
    return backend.xp.asarray(problem.cost(backend.to_numpy(tours)))


def undo_rounding(tours: Any, costs: Any, tours_before: Any, costs_before: Any) -> None:
    """Put back rows whose real cost grew by rounding, although every single move improved."""
    worse = costs > costs_before
    if bool(worse.any()):
        tours[worse] = tours_before[worse]
        costs[worse] = costs_before[worse]
