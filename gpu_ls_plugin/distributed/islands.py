"""Islands: a population on every worker of a cluster, as one search."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import Budget, Stopwatch
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.distributed import cluster
from gpu_ls_plugin.distributed.checkpoint import Keeper
from gpu_ls_plugin.distributed.coordinator import Coordinator
from gpu_ls_plugin.distributed.exchange import TOPOLOGIES, ExchangeRule
from gpu_ls_plugin.distributed.fleet import Fleet
from gpu_ls_plugin.distributed.orders import Job
from gpu_ls_plugin.distributed.run import checked, packed, result_of, run_of
from gpu_ls_plugin.plugins.search_text import parse_search
from gpu_ls_plugin.runs.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpu_ls_plugin.core.result import Callback, Result, Statistics
    from gpu_ls_plugin.distributed.orders import Settled
    from gpu_ls_plugin.distributed.run import IslandRun
    from gpu_ls_plugin.runs.elites import Elites


@dataclass(frozen=True)
class Islands:
    """Search with a population on every worker of a Dask cluster, which exchange their best rows.

    Each GPU of the cluster, or the cores of each of its CPU workers, has a population of its own,
    an island. Again and again an island offers its best rows and others that differ from them, and
    gets those of other islands. An island whose worker is lost goes on elsewhere, from what it
    offered last.

    Parameters
    ----------
    search : callable or str, optional
        What each island does: any search of this library, or a text for one. None: what `solve`
        would do on that worker's device.
    client : distributed.Client, str or None
        The cluster, or the address of its scheduler. None: a cluster on this machine that is
        started and stopped by each call, with a worker for each GPU, or for each two cores.
    exchange : Exchange, optional
        What islands exchange, and how often.
    topology : {"ring", "complete", "random"}
        Whether an island hears of the one before it, of all others, or of one that is drawn.
    checkpoint : path, optional
        File in which the best of all islands are kept. Where it is there, the search goes on from
        it, with what is left of the budget.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A parameter is out of range or of another type.
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
            raise InvalidTypeError("search: islands have no islands; name the search of each")
        checks.fields(self, checks.instance, "exchange", kind=ExchangeRule, wanted="Exchange")
        checks.fields(self, checks.choice, "topology", known=TOPOLOGIES)
        if self.checkpoint is not None:
            checks.store(self, checkpoint=Path(self.checkpoint))

    def __deepcopy__(self, memo: object) -> Islands:
        """Return these: nobody copies a cluster, and nothing else changes."""
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
        """Search on all workers until the budget is spent.

        Parameters
        ----------
        problem : Problem
        tours : array, shape (P, n), integer, optional
            Not changed; islands share them evenly. By default each makes as many as keep its device
            busy.
        seed : int or None
            Of all islands: no two of them draw the same numbers. With a budget in kicks and none in
            seconds the same seed gives the same result on the same workers, as long as none fails.
        budget : Budget, optional
            `kicks` and `moves` are per row; `seconds` begin when all workers have compiled.
        backend : {"auto", "cpu", "cuda"}
            Of every worker.
        callback : callable, optional
            Called with an `IslandProgress` whenever an island reports.
        memory_limit : int, optional
            Bytes that each island may use.
        first_row : int
            Number of the first row of the first island.

        Returns
        -------
        Result
            All rows of all islands, the best first, arrays of NumPy.
            ``statistics.phases["exchange"]`` are the seconds in which an island did not search, on
            average. After Ctrl-C, or where the scheduler is lost, the best so far; `stopped_by` is
            "interrupt" or "lost".

        Raises
        ------
        MissingExtraError
            Dask is not installed.
        ClusterError
            There is no scheduler, no worker that can be used, or none that is left.
        UnsupportedProblemError, InvalidTourError, InvalidTypeError, InvalidParameterError
            As the search does.
        """
        limits = Stopwatch(budget).budget  # which checks it
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
        """Return what `solve` with such settings finds on every worker of the cluster.

        Parameters
        ----------
        problem : Problem
        settings : Settings
            Completed on each worker, for its device; its population is that of each island.
        callback : callable, optional
            As of a call.
        settled : callable, optional
            Told by the number of each island, before the search begins, how it is going to search.

        Raises
        ------
        GpuLsError
            As a call does.
        """
        job = self._job(problem, self._searched(settings))
        return self._found(job, settings, None, callback, settled)

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
        """Return what comes of the populations of islands in a small part of a run.

        Parameters
        ----------
        problem : Problem
        settings : Settings
            Of the whole run, as in `solve`.
        groups : list of Elites or None
            All rows of each island; None where it has to make its own.
        seed : int
            Other than those of all other parts.
        budget : Budget
            Of the part.
        share : float
            Of the run that is over, 0 to 1.
        """
        job = self._job(problem, self._searched(settings))
        run = run_of(self.exchange, self.topology, job, replace(settings, seed=seed), budget, share)
        with ExitStack() as stack:
            coordinator, workers = self._led(stack, job, run)
            coordinator.start(workers)
            coordinator.give(groups)
            coordinator.drive()
            return coordinator.gather(), coordinator.tally.statistics

    def prepare(self, problem: Problem, settings: Settings) -> dict[int, Settled]:
        """Compile on all workers what `solve` and `go_on` need; return how they will search."""
        job = self._job(problem, self._searched(settings))
        with ExitStack() as stack:
            coordinator, workers = self._led(
                stack, job, run_of(self.exchange, self.topology, job, settings)
            )
            return coordinator.start(workers)

    @contextmanager
    def opened(self) -> Iterator[Islands]:
        """Yield islands whose cluster is there for a whole block, however often they are called."""
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
                "problem: rows with lengths of their own cannot be exchanged between islands"
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
        """Return what a run on the cluster finds."""
        checks.callback(callback)
        rows = None if tours is None else checked(job.problem, tours)
        run = run_of(self.exchange, self.topology, job, settings, callback=callback)
        with ExitStack() as stack:
            coordinator, workers = self._led(stack, job, run, self.checkpoint)
            parts = None if rows is None else np.array_split(rows, min(len(workers), len(rows)))
            settled(coordinator.start(workers, parts))
            coordinator.drive()
            found = coordinator.gather()
        return result_of(job.problem, found, coordinator.tally.statistics)

    def _led(
        self, stack: ExitStack, job: Job, run: IslandRun, checkpoint: Path | None = None
    ) -> tuple[Coordinator, list[str]]:
        """Return who leads a run, and the workers; all is left with the stack."""
        keeper = Keeper(checkpoint, job.problem, run.seed)
        keeper.found()  # where it cannot be read, nothing is started
        client = cluster.client_of(self.client, stack)
        workers = cluster.usable_workers(client)
        job = replace(job, islands=len(workers))
        fleet = Fleet(client, run.name, job.problem.name or "problem", packed(job))
        stack.callback(fleet.close)
        return Coordinator(run, fleet, keeper), workers
