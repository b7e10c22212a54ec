"""Random-restart hill climbing (O'Neil and Burtscher 2015)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.result import Progress, Result
from gpu_ls_plugin.runs.compiling import compile_batch
from gpu_ls_plugin.tours.construction.random_tours import shuffle
from gpu_ls_plugin.tours.engines import compiling_ahead, engines
from gpu_ls_plugin.tours.searches.local_search import ENDS, LocalSearch
from gpu_ls_plugin.tours.searches.search_call import Call

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback

CLIMBS_PER_PROCESSOR = {"cpu": 16, "cuda": 32}  # maximum number of climbers in a batch


@dataclass(frozen=True)
class RandomRestarts:
    """Search from many random tours and keep the best local optima.

    This is random-restart hill climbing (O'Neil and Burtscher 2015). Climbers run in batches that
    fill the device. Only one batch and the best `keep` tours are in memory, so `climbs` may be any
    number. Climber c starts from row c of `random_tours`, whatever the batch size.

    Parameters
    ----------
    search : LocalSearch
        Searches from each start.
    climbs : int
        Number of climbers.
    keep : int
        Number of tours to return, best first; ties are in the order of the climbers.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `climbs` or `keep` is not a positive integer, or `search` is not a `LocalSearch`.
    """

    search: LocalSearch = field(default_factory=LocalSearch)
    climbs: int = 1000
    keep: int = 10

    name = "random_restarts"
    of_tours: ClassVar[bool] = True  # rows are tours, not states

    def __post_init__(self) -> None:
        checks.fields(self, checks.instance, "search", kind=LocalSearch, wanted="LocalSearch")
        checks.fields(self, checks.integer, "climbs", "keep", least=1)

    @warns_if_infeasible
    def __call__(
        self,
        problem: Problem,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str | Backend = "auto",
        device: int | None = None,
        callback: Callback | None = None,
        memory_limit: int | None = None,
    ) -> Result:
        """Run the climbers.

        Parameters
        ----------
        problem : Problem
            A TSP, with symmetric distances.
        seed : int or None
            Key of the random starts and the search's random moves. The same seed gives the same
            result: pass another one for each call, or None to draw one.
        budget : Budget, optional
            `seconds` and `target` end the search early; `moves` are per climber.
        callback : callable, optional
            Called with a `Progress` after each batch; its `done` counts climbers.
        backend, device, memory_limit
            As in `LocalSearch`; less memory means smaller batches.

        Returns
        -------
        Result
            Up to `keep` tours, sorted by cost; all climbs count in the statistics. After Ctrl-C,
            the result holds the tours of the climbers so far, and `statistics.interrupted` is true.

        Raises
        ------
        UnsupportedProblemError
            The distances are asymmetric.
        InsufficientMemoryError
            Not even one climber fits into memory.
        KeyboardInterrupt
            Ctrl-C was pressed before the first batch was finished.
        """
        call = Call(
            problem,
            [self.search],
            seed=seed,
            budget=budget,
            backend=backend,
            device=device,
            callback=callback,
            memory_limit=memory_limit,
            stopped_by="climbs",
        )
        chosen, stopwatch, statistics = call.backend, call.stopwatch, call.statistics
        with chosen.current():
            size, tours, costs = self._batch_size(call), None, None
            try:
                for begin in range(0, self.climbs, size):
                    starts = shuffle(
                        chosen, problem.n, min(size, self.climbs - begin), call.seed, begin
                    )
                    result = self._climb(problem, starts, call, begin, memory_limit)
                    statistics.add(result.statistics)
                    tours, costs = self._best(chosen, tours, costs, result, problem)
                    if callback is not None:
                        best, mean = costs[0].item(), float(costs.mean())
                        point = Point(stopwatch.elapsed, statistics.kicks, best, mean)
                        done = statistics.climbs
                        callback(Progress.of(statistics, point, self.climbs, done=done))
                    if result.statistics.stopped_by in ENDS:
                        statistics.stopped_by = result.statistics.stopped_by
                        break
            except KeyboardInterrupt:
                if tours is None:
                    raise
                statistics.stopped_by = "interrupt"
            statistics.seconds = stopwatch.elapsed
            return Result(chosen.to_numpy(tours), chosen.to_numpy(costs), statistics, problem)

    def prepare(
        self,
        problem: Problem,
        size: int | None = None,
        *,
        backend: str | Backend = "auto",
        device: int | None = None,
    ) -> None:
        """Compile ahead, so that a later call searches at once; see `LocalSearch.prepare`.

        `size` is the number of climbers of a batch, by default as in a call.
        """
        copy = compiling_ahead.fresh_copy(problem)
        if size is None:
            size = self._batch_size(Call(copy, [self.search], backend=backend, device=device))
        size = checks.integer("size", size, least=1, most=checks.MOST_INT)
        search = replace(
            self, search=compiling_ahead.with_quick_candidates(self.search, copy), climbs=size
        )
        compile_batch(_without_tours(search), copy, None, backend, device)

    def _climb(
        self, problem: Problem, starts: Any, call: Call, first_row: int, memory_limit: int | None
    ) -> Result:
        """Search from a batch of starts in the remaining time."""
        return self.search(
            problem,
            starts,
            seed=call.seed,
            first_row=first_row,
            budget=call.stopwatch.rest,
            backend=call.backend,
            memory_limit=memory_limit,
        )

    def _batch_size(self, call: Call) -> int:
        """Return the size of a batch: as many climbers as fill the device and fit into memory."""
        backend, problem = call.backend, call.problem
        factory = engines.choose(self.search)(self.search, backend, problem, 0, call.memory)
        # The starts, the results and the kept tours take 4 bytes per city each.
        fits = call.rows_that_fit(factory.bytes_per_tour + 12 * problem.n)
        return min(fits, CLIMBS_PER_PROCESSOR[backend.name] * backend.processors)

    def _best(
        self, backend: Backend, tours: Any, costs: Any, found: Result, problem: Problem
    ) -> tuple[Any, Any]:
        """Return the `keep` best of the previous and the new tours, best first."""
        xp = backend.xp
        rows, values = xp.asarray(found.tours), xp.asarray(found.costs)
        if tours is not None:
            rows, values = xp.concatenate([tours, rows]), xp.concatenate([costs, values])
        ordered = Result(rows, values, problem=problem).sorted()
        return ordered.tours[: self.keep], ordered.costs[: self.keep]


def _without_tours(search: RandomRestarts) -> Any:
    """Return the search with a parameter for tours, which it ignores."""
    return lambda problem, _, **options: search(problem, **options)
