"""Islands: one search with a population on each worker of a cluster."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.backends import arrays
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import Budget, Stopwatch
from gpu_ls_plugin.core.compilations import compilations
from gpu_ls_plugin.core.exceptions import (
    ClusterError,
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.distributed import cluster
from gpu_ls_plugin.distributed.checkpoint import Keeper
from gpu_ls_plugin.distributed.coordinator import Coordinator
from gpu_ls_plugin.distributed.exchange import TOPOLOGIES, ExchangeRule
from gpu_ls_plugin.distributed.fleet import Fleet
from gpu_ls_plugin.distributed.many import solve_in_shares
from gpu_ls_plugin.distributed.messages import Job
from gpu_ls_plugin.distributed.run import run_of
from gpu_ls_plugin.plugins.search_text import parse_search
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.runs.elites import Elites, joined
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.many import ManyCall, warn_of
from gpu_ls_plugin.solver.many_inputs import groups_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpu_ls_plugin.core.many_result import ManyResult
    from gpu_ls_plugin.core.result import Callback, Statistics
    from gpu_ls_plugin.distributed.messages import Settled
    from gpu_ls_plugin.distributed.run import IslandRun


@dataclass(frozen=True)
class Islands:
    """Search with a population on each worker of a Dask cluster; populations exchange rows.

    Each GPU worker and each CPU worker has its own population, an island. At regular intervals an
    island offers its best rows and some rows that differ from them, and receives rows of other
    islands. If a worker is lost, its island continues on another worker from the rows that it
    offered last.

    Parameters
    ----------
    search : callable or str, optional
        The search of each island: any search of this library, or its text. None: the search that
        `solve` would choose for the worker's device.
    client : distributed.Client, str or None
        The cluster, or the address of its scheduler. None: each call starts and stops a cluster on
        this machine, with a worker for each GPU, or for every two cores if there is no GPU.
    exchange : Exchange, optional
        How often islands exchange rows, and how many.
    topology : {"ring", "complete", "random"}
        Whether an island receives rows from the island before it, from all others, or from one
        drawn at random.
    checkpoint : path, optional
        File for the best rows of all islands. If it exists, the search continues from it, with the
        rest of the budget.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A parameter is out of range or of the wrong type.
    """

    name: ClassVar[str] = "islands"

    search: Any = None
    client: Any = None
    exchange: ExchangeRule = ExchangeRule()  # noqa: RUF009
    topology: str = "ring"
    checkpoint: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.search, str):
            checks.store(self, search=parse_search(self.search))
        if isinstance(self.search, type) or not (self.search is None or callable(self.search)):
            raise InvalidTypeError(f"search: {self.search!r} is not a search")
        if isinstance(self.search, Islands):
            raise InvalidTypeError("search: islands cannot be nested; pass the search of an island")
        checks.fields(self, checks.instance, "exchange", kind=ExchangeRule, wanted="Exchange")
        checks.fields(self, checks.choice, "topology", known=TOPOLOGIES)
        if self.checkpoint is not None:
            checks.store(self, checkpoint=Path(self.checkpoint))

    def __deepcopy__(self, memo: object) -> Islands:
        """Return the object itself: a cluster cannot be copied, and the rest is immutable."""
        return self

    @warns_if_infeasible
    def __call__(
        self,
        problem: Problem,
        tours: Any = None,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str = "auto",
        callback: Callback | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
    ) -> Result:
        """Search on all workers until the budget is used up.

        Parameters
        ----------
        problem : Problem
        tours : array, shape (P, n), integer, optional
            Not changed; islands share them evenly. By default each island makes as many rows as
            keep its device busy.
        seed : int or None
            Seed of the run; each island draws its own numbers. If the budget limits kicks
            but not seconds, the same seed gives the same result on the same workers, unless a
            worker fails.
        budget : Budget, optional
            `kicks` and `moves` are per row; `seconds` are counted once all workers have compiled.
        backend : {"auto", "cpu", "cuda"}
            Backend of each worker.
        callback : callable, optional
            Called with an `IslandProgress` whenever an island reports.
        memory_limit : int, optional
            Bytes of memory that each island may use.
        first_row : int
            Number of the first row of the first island; random numbers depend on row numbers.

        Returns
        -------
        Result
            All rows of all islands as NumPy arrays, the best first.
            ``statistics.phases["exchange"]`` is how many seconds an island was idle, on
            average. After Ctrl-C, or if the scheduler is lost, the result has the best rows so far,
            and ``statistics.stopped_by`` is "interrupt" or "lost".

        Raises
        ------
        MissingExtraError
            Dask is not installed.
        ClusterError
            No scheduler answers, no worker can be used, or all workers are lost.
        UnsupportedProblemError, InvalidTourError, InvalidTypeError, InvalidParameterError
            For the same reasons as the search itself.
        """
        limits = Stopwatch(budget).budget  # checks the budget
        settings = Settings(
            seconds=np.inf if limits.seconds is None else limits.seconds,
            seed=seed,
            backend=backend,
            target=limits.target,
            kicks=limits.kicks,
            moves=limits.moves,
        )
        if self.search is None and budget is None:
            settings = Settings(seed=seed, backend=backend)
        if memory_limit is not None:
            memory_limit = checks.integer("memory_limit", memory_limit, least=1)
        place = (checks.first_row(first_row), memory_limit)
        job = self._job(problem, settings, self.search, *place)
        return self._found(job, settings, tours, callback)

    @warns_if_infeasible
    def solve(
        self,
        problem: Problem,
        settings: Settings,
        callback: Callback | None = None,
        settled: Callable[[dict[int, Settled]], object] = lambda _: None,
    ) -> Result:
        """Search as `gpu_ls_plugin.solve` does with these settings, on all workers of the cluster.

        Parameters
        ----------
        problem : Problem
        settings : Settings
            Each worker completes them for its device; `population` is the size of each island.
        callback : callable, optional
            Called with an `IslandProgress` whenever an island reports.
        settled : callable, optional
            Called before the search, with a dict from the number of each island to its `Settled`.

        Raises
        ------
        GpuLsError
            For the same reasons as in `__call__`.
        """
        job = self._job(problem, self._searched(settings))
        return self._found(job, settings, None, callback, settled)

    def solve_many(
        self,
        problems: Any,
        seconds: float = 1.0,
        *,
        seed: int | None = 1,
        backend: str = "auto",
        metric: Any = None,
        start: Any = None,
        replicas: int | None = None,
        kicks: int | None = None,
        memory_limit: int | None = None,
    ) -> ManyResult:
        """Solve many problems as `gpu_ls_plugin.solve_many` does, each worker a share of them.

        Workers exchange nothing. If a worker is lost, its share begins again on another worker.

        Parameters
        ----------
        problems, seconds, seed, backend, metric, start, replicas, kicks, memory_limit
            See `gpu_ls_plugin.solve_many`; `memory_limit` is that of each worker.

        Returns
        -------
        ManyResult
            In the order of `problems`. The history of its statistics has only the final point.
            After Ctrl-C, what all workers have found so far.

        Raises
        ------
        InvalidParameterError
            The islands have a `search` or a `checkpoint`, which are for single problems.
        MissingExtraError
            Dask is not installed.
        ClusterError
            No scheduler answers, no worker can be used, or all workers are lost.
        GpuLsError
            For the same reasons as in `gpu_ls_plugin.solve_many`.
        """
        for name in ("search", "checkpoint"):
            if getattr(self, name) is not None:
                raise InvalidParameterError(
                    f"{name}: solve_many follows the plan of each problem and keeps no file; "
                    "leave it out"
                )
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
        groups_of(call.problems)  # raises before workers are started
        with ExitStack() as stack:
            client = cluster.client_of(self.client, stack)
            found = solve_in_shares(client, cluster.usable_workers(client), call)
        warn_of(found)
        return found

    def go_on(
        self,
        problem: Problem,
        settings: Settings,
        groups: list[Elites | None],
        *,
        seed: int,
        budget: Budget,
        share: float,
    ) -> tuple[list[Elites], Statistics]:
        """Search given populations for a small part of a run; return them and the statistics.

        `settings` are those of the whole run, as in `solve`. `groups` has all rows of each island,
        or None for an island that makes its own. `seed` must differ between the parts of a run.
        `budget` limits this part; `share` says how much of the run has passed, 0 to 1.
        """
        job = self._job(problem, self._searched(settings))
        run = run_of(self.exchange, self.topology, job, replace(settings, seed=seed), budget, share)
        with ExitStack() as stack:
            coordinator, workers = self._led(stack, job, run)
            coordinator.start(workers)
            coordinator.give(groups)
            coordinator.drive()
            return coordinator.gather(), coordinator.totals.statistics

    def prepare(self, problem: Problem, settings: Settings) -> dict[int, Settled]:
        """Compile for `solve` and `go_on` on all workers; return how each island will search."""
        job = self._job(problem, self._searched(settings))
        with ExitStack() as stack:
            coordinator, workers = self._led(
                stack, job, run_of(self.exchange, self.topology, job, settings)
            )
            return _started(coordinator, workers)

    @contextmanager
    def opened(self) -> Iterator[Islands]:
        """Yield islands that keep one cluster for the whole block, for any number of calls."""
        with ExitStack() as stack:
            yield replace(self, client=cluster.client_of(self.client, stack))

    def _searched(self, settings: Settings) -> Settings:
        return settings if settings.search is not None else replace(settings, search=self.search)

    def _job(
        self,
        problem: Problem,
        settings: Settings,
        search: Any = None,
        first_row: int = 0,
        memory_limit: int | None = None,
    ) -> Job:
        checks.instance("problem", problem, kind=Problem, wanted="Problem")
        if getattr(problem.tsp, "rows", None) is not None:
            raise UnsupportedProblemError(
                "problem: islands cannot exchange rows if each row has its own lengths"
            )
        exchange, alike = self.exchange, replace(settings, seed=0)
        numbers = (first_row, memory_limit, exchange.best, exchange.distant)
        return Job(problem, search, alike, *numbers)

    def _found(
        self,
        job: Job,
        settings: Settings,
        tours: Any,
        callback: Callback | None,
        settled: Callable[[dict[int, Settled]], object] = lambda _: None,
    ) -> Result:
        checks.callback(callback)
        rows = tours
        if rows is not None:
            rows = domain_of(job.problem).check_starts(job.problem, arrays.on_host(tours))
        run = run_of(self.exchange, self.topology, job, settings, callback=callback)
        with ExitStack() as stack:
            coordinator, workers = self._led(stack, job, run, self.checkpoint)
            parts = None if rows is None else np.array_split(rows, min(len(workers), len(rows)))
            settled(_started(coordinator, workers, parts))
            coordinator.drive()
            found = coordinator.gather()
        return _result(job.problem, found, coordinator.totals.statistics)

    def _led(
        self, stack: ExitStack, job: Job, run: IslandRun, checkpoint: Path | None = None
    ) -> tuple[Coordinator, list[str]]:
        """Return the coordinator and the workers of a run; `stack` closes the new connections."""
        keeper = Keeper(checkpoint, job.problem, run.seed)
        keeper.found()  # raises if the file cannot be read
        client = cluster.client_of(self.client, stack)
        import cloudpickle  # installed with Dask; it also pickles classes that a script defines

        workers = cluster.usable_workers(client)
        job = replace(job, islands=len(workers))
        fleet = Fleet(client, run.name, job.problem.name or "problem", cloudpickle.dumps(job))
        stack.callback(fleet.close)
        return Coordinator(run, fleet, keeper), workers


def _started(
    coordinator: Coordinator, workers: list[str], parts: list[Any] | None = None
) -> dict[int, Settled]:
    """Prepare the islands of a run, and say that workers compile for them."""
    name = f"the kernels of {len(workers)} workers"
    with compilations.running("on a cluster", name, kernels=0):
        return coordinator.start(workers, parts)


def _result(problem: Problem, groups: list[Elites], statistics: Statistics) -> Result:
    """Return the rows of all islands, the best first."""
    found = joined(problem, groups)
    if not len(found):
        if statistics.interrupted:
            raise KeyboardInterrupt
        raise ClusterError("dask: all workers were lost before an island found anything")
    # With constraints or real lengths, the costs that islands compare differ from `problem.cost`.
    exact = problem.tsp is problem and problem.integer
    costs = found.costs if exact else problem.cost(found.rows)
    return Result(found.rows, costs, statistics, problem)
