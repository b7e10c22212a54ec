"""Local search of whole batches of tours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.core.giving_way import giving_way
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.core.result import Progress, Result
from gpu_ls_plugin.runs.compiling import compile_batch
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.engines import compiling_ahead, engines, services
from gpu_ls_plugin.tours.engines.audit import Audit, foreign_names
from gpu_ls_plugin.tours.engines.engine import NOTHING_KEPT, OUT_OF_MOVES
from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import MAX_MOVES_PER_PASS
from gpu_ls_plugin.tours.engines.pivoting import First, Pivoting
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.kernels.tour_layouts import LAYOUTS
from gpu_ls_plugin.tours.moves.base import Neighbourhood
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.searches.descents import Descents
from gpu_ls_plugin.tours.searches.search_call import Call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.tours.engines.services import EngineFactory
    from gpu_ls_plugin.tours.problem.tsp import TSP

ENDS = ("seconds", "target", "interrupt")  # reasons that end the search of all rows


def _of_another_domain(neighbourhoods: Any = (), *given: Any, **options: Any) -> Any:
    """Return the search of another domain, given its moves; otherwise None."""
    moves = neighbourhoods if isinstance(neighbourhoods, (list, tuple)) else ()
    names = {getattr(move, "search", None) for move in moves} - {None}
    if not names:
        return None
    if given or options.keys() - {"pivoting"}:
        raise InvalidParameterError(
            f"neighbourhoods: {moves!r:.80} are not moves of tours, so they take no other "
            f"parameters, such as {next(iter(options), 'candidates')!r}"
        )
    (name,) = names
    return registry.lookup("search", str(name))(moves, kick=None, **options)


@giving_way(_of_another_domain)
@dataclass(frozen=True)
class LocalSearch(compiling_ahead.CompilesAhead):
    """Improve tours until each is a local optimum.

    All tours of a batch are searched at the same time, and stay on the device until all are done.
    ``LocalSearch([Insertion()])``, with moves of sequences, is a `SequenceSearch` without kicks.

    - `First()`: the cities wait in a queue (don't-look bits). The search applies the best move of
      the first city; the ends of the changed edges join the queue again (Bentley 1992; Delevacq et
      al. 2012, 4.1). It accepts any list of neighbourhoods, with candidate lists. `RouteMoves()`,
      alone or before `SwapStar()`, searches linked lists of routes.
    - `Multi()`: the search evaluates several cities side by side, and applies all independent moves
      in one pass over the tour (Rios et al. 2017). It accepts any list of neighbourhoods, with
      candidate lists.
    - `Best()`: each pass applies the best move of all cities, on candidate lists (Fosin et al.
      2013) or over `All()` cities: exhaustive 2-opt (O'Neil and Burtscher 2015) and 3-opt (Schulz
      2013).
    - `Best()` or `First()` on a `FilteredNeighbourhood`: the search evaluates those moves of a
      complete neighbourhood that a filter keeps (Schulz 2013, section 7).
    - `RandomK(k)`: each pass applies the best of k random moves over `All()` cities (Delevacq et
      al. 2012, 4.2).

    Parameters
    ----------
    neighbourhoods : sequence of Neighbourhood or str
        Moves to try, combined in one pass: parts or their registered names.
    candidates : Candidates or str, optional
        Cities to which moves may link a city; by default `Nearest(10)`, or `All()` for a filtered
        neighbourhood.
    pivoting : Pivoting or str
        Selects the improving move to apply.
    moves_per_pass : int
        For exhaustive 2-opt with `Best()`: maximum number of moves (1 to 32) to apply after one
        evaluation: the best move, and others that gain at least half as much and do not
        overlap. More than 1 is faster on a GPU; the local optima differ, but are equally good on
        average.
    layout : str
        For `First()` on a GPU: with "warp" or "block", a warp or a block searches a tour in shared
        memory; with "global", a block searches it in global memory; "auto" chooses. For `Multi()`,
        a block searches each tour, in shared memory if it fits and the layout is not "global". The
        result is the same.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A part is of the wrong kind or unknown, or the combination is not supported.
    """

    # The constructor replaces names with parts.
    neighbourhoods: Sequence[Any] = (TwoOpt(), OrOpt(3))
    candidates: Any = None
    pivoting: Any = field(default_factory=First)
    moves_per_pass: int = 1
    layout: str = "auto"

    name = "local_search"
    of_tours: ClassVar[bool] = True  # rows are tours, not states
    repairs: ClassVar[bool] = True  # it can repair kicked tours, and makes no kicks itself

    def __post_init__(self) -> None:
        if isinstance(self.neighbourhoods, str) or not isinstance(
            self.neighbourhoods, (list, tuple)
        ):
            raise InvalidTypeError(
                f"neighbourhoods: {self.neighbourhoods!r} is not a list, such as [TwoOpt()]; "
                "solve(problem, search=...) takes a text"
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
        """The parts of the kernels, apart from the metric."""
        return (*self.neighbourhoods, self.pivoting)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if the search cannot work on the problem."""
        for part in self.neighbourhoods:
            part.check(problem)
        for check in services.checks_of_other_domains:
            check(self, problem)

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
        awake: Any = None,
    ) -> Result:
        """Improve a batch of tours.

        Parameters
        ----------
        problem : Problem
            A TSP, with symmetric distances.
        tours : array, shape (P, n), integer
            NumPy or CuPy array, not changed. For CuPy, the result is on the same device.
        seed : int or None
            Key of the random numbers of `RandomK` and `RandomKeep`; other parts are deterministic.
            The same seed gives the same result: pass another one for each call, or None to draw
            one.
        budget : Budget, optional
            `moves` are per tour; `kicks` do not apply.
        backend, device
            See `get_backend`.
        callback : callable, optional
            Called with a `Progress` after each launch of about 50 ms.
        memory_limit : int, optional
            Maximum number of bytes to use; larger batches are searched in several turns.
        first_row : int
            Number of the first row if the batch is a part of a larger one: row r uses the random
            numbers of row `first_row` + r.
        awake : bool array, shape (P, n), optional
            On the device of `tours`. For `RouteMoves()`: whether to evaluate each customer (by
            number) from the start; others are evaluated only after a neighbour has changed. By
            default, all customers are evaluated. Other neighbourhoods ignore `awake`.

        Returns
        -------
        Result
            Row r descends from row r of `tours`, and is never worse. After Ctrl-C, the result
            holds the tours in their current state, and `statistics.interrupted` is true.

        Raises
        ------
        UnsupportedProblemError
            The distances are asymmetric, or the problem has routes and the search has candidate
            lists, but not `RouteMoves()`.
        InvalidTourError, InvalidTypeError
            `tours` are not permutations of the cities.
        InvalidParameterError
            `awake` does not have the shape of `tours`, or is not an array of bools.
        InsufficientMemoryError
            Not even one tour fits into memory.
        """
        call = Call(
            problem,
            [self],
            tours,
            seed=seed,
            budget=budget,
            backend=backend,
            device=device,
            callback=callback,
            memory_limit=memory_limit,
            first_row=first_row,
        )
        with call.backend.current():
            awake = _flags(call, awake)
            factory = engines.choose(self)(self, call.backend, call.problem, call.seed, call.memory)
            turns = call.turns(factory.bytes_per_tour)
            if not engines.ready(self, call.backend, call.problem, call.stopwatch.left):
                call.stop("seconds")
            for rows in turns:
                self._improve(factory, call, rows, awake)
            return call.result(self, call.referee())

    def _compile_ahead(
        self, problem: TSP, tours: Any, backend: str | Backend, device: int | None
    ) -> None:
        compile_batch(
            compiling_ahead.with_quick_candidates(self, problem), problem, tours, backend, device
        )

    def _improve(self, factory: EngineFactory, call: Call, rows: slice, awake: Any) -> None:
        """Improve some rows in place and add to the statistics."""
        climb = factory.make(call.tours[rows], call.first_row + rows.start, call.max_moves)
        if awake is not None:
            climb.look_at(awake[rows])
        audit = Audit(climb, foreign_names(climb.problem, self.parts))
        descents = Descents(climb, call.statistics, audit, self.neighbourhoods)
        turn = _Turn(call, descents, rows.stop)
        watched = call.callback is not None or call.budget.target is not None
        seen = turn.report if watched else (lambda: False)
        stopped_by = drive(descents, Stretch(call.stopwatch.seconds), seen, call.stopwatch)
        audit.compare()
        descents.count()
        turn.end(stopped_by)


def _flags(call: Call, awake: Any) -> Any:
    """Return `awake` as an array of the call's backend, or None if it is not given."""
    if awake is None:
        return None
    checks.unmasked("awake", awake)
    flags = call.backend.xp.asarray(awake)
    if flags.shape != call.tours.shape or flags.dtype != bool:
        raise InvalidParameterError(
            f"awake: bools of shape {call.tours.shape} are needed, one for each city of each tour, "
            f"not {flags.dtype} of shape {flags.shape}"
        )
    return flags


class _Turn:
    """Reports the state of rows that are searched together, and why their search has ended."""

    def __init__(self, call: Call, descents: Descents, end: int) -> None:
        self._call, self._descents = call, descents
        self._end = end  # number of tours of this turn and the earlier ones

    def report(self) -> bool:
        """Call the callback; return whether the target is reached."""
        call, target = self._call, self._call.budget.target
        point = call.point(tour_costs(call.backend, call.problem, call.tours))
        if call.callback is not None:
            self._descents.count()
            done, total = self._end - self._descents.engine.left, len(call.tours)
            call.callback(Progress.of(call.statistics, point, total, done=done))
        return target is not None and point.best_cost <= target

    def end(self, stopped_by: str) -> None:
        """Store the reason why the search of these rows has ended."""
        states = self._descents.engine.seen
        if stopped_by == "optimum" and (states == OUT_OF_MOVES).any():
            stopped_by = "moves"
        if stopped_by == "optimum" and (states == NOTHING_KEPT).all():
            stopped_by = "filter"
        if stopped_by in ENDS:
            self._call.stop(stopped_by)
        elif stopped_by != "optimum":
            self._call.statistics.stopped_by = stopped_by


def _part(kind: str, parameter: str, given: object, base: type) -> Any:
    """Return a part, or make it from its registered name."""
    made = registry.lookup(kind, given)() if isinstance(given, str) else given
    if not isinstance(made, base):
        raise InvalidTypeError(
            f"{parameter}: {given!r} is not {checks.indefinite(kind)} part; "
            "`gpu-ls operators` lists all parts"
        )
    return made
