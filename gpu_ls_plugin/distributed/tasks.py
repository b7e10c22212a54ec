"""The tasks that run on workers: prepare an island, search it for a stretch, return its rows.

Populations stay on the worker between tasks. A worker that does not have the population makes one
from the rows in the order.
"""

from __future__ import annotations

import math
import pickle
import time
from collections import OrderedDict
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import builds, get_backend
from gpu_ls_plugin.backends.cpu import threads_at_most
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.exceptions import ClusterError
from gpu_ls_plugin.distributed.exchange import adopt_guests, elites_of
from gpu_ls_plugin.distributed.messages import Job, Order, Report, Settled
from gpu_ls_plugin.distributed.watcher import Standstill, Watcher, this_worker
from gpu_ls_plugin.evolution.generations.staged_population import PlannedEvolution, StagedPopulation
from gpu_ls_plugin.runs.domain import domain_of, first_row, first_rows
from gpu_ls_plugin.runs.elites import Elites
from gpu_ls_plugin.runs.many import ManyFound
from gpu_ls_plugin.runs.repeated_calls import derived, makes_rows, population_of
from gpu_ls_plugin.solver.plans import complete_settings, default_settings, plan_of, plan_of_search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.core.result import Progress
    from gpu_ls_plugin.runs.plan import Plan
    from gpu_ls_plugin.runs.population import Population
    from gpu_ls_plugin.runs.settings import Settings
    from gpu_ls_plugin.solver.many import ManyCall

ROWS = 2**20  # number of row numbers reserved for each island
STARTS = 1  # distinguishes the seeds of initial rows from other seeds
LEAST = 1.0  # seconds that a generation may take even if its stretch ends earlier
PARTS = 8  # number of batches in the first descent of a restarted island
KNOWN = 16  # number of jobs that stay unpacked, with everything computed for their problems


@dataclass
class Seat:
    """An island on this worker.

    Attributes
    ----------
    job : Job
    settings : Settings
        Complete settings.
    plan : Plan
        The plan of `solve`, without its initial tours and its attempts with fewer vehicles.
    population : Population or None
        None until the first stretch.
    life : int
        Number of restarts of the island up to this population; -1 without a population.
    """

    job: Job
    settings: Settings
    plan: Plan
    population: Population | None = None
    life: int = -1


unpacked_jobs: OrderedDict[tuple[str, int], Seat] = OrderedDict()  # keys: hash of job, island
seats: dict[tuple[str, int], Seat] = {}  # keys: run, island
_stopped: set[str] = set()


class UnknownRunError(ClusterError):
    """The worker does not know the run, because its process was restarted."""


def settle(packed: bytes, run: str, island: int) -> Settled:
    """Unpack a job for an island and compile its kernels."""
    if run in _stopped:
        raise ClusterError(f"worker: the run {run} is over")
    key = sha256(packed).hexdigest(), island  # islands do not share the caches of a problem
    with _cores(), builds.all_waiting():  # for the kernels of exchanges, too
        known = unpacked_jobs.get(key) or _unpacked(packed)
        unpacked_jobs[key] = known
        unpacked_jobs.move_to_end(key)
        while len(unpacked_jobs) > KNOWN:
            unpacked_jobs.popitem(last=False)
        seat = seats[run, island] = replace(known)
        backend = get_backend(seat.settings.backend)
        return Settled(backend.name, backend.processors, seat.settings)


def _unpacked(packed: bytes) -> Seat:
    """Unpack a job, compile its kernels, and return its seat."""
    job: Job = pickle.loads(packed)
    problem, given = job.problem, job.settings
    if job.search is None:
        settings = complete_settings(problem, given, islands=job.islands)
        plan = plan_of(problem, given, islands=job.islands)
    else:
        settings = default_settings(problem, given, islands=job.islands)
        settings = replace(settings, search=job.search)
        plan = plan_of_search(problem, settings)
    main = plan.main
    search: Any = settings.search
    if makes_rows(search):
        if hasattr(search, "prepare") and domain_of(problem).empty_rows(problem) is None:
            search.prepare(problem, backend=settings.backend)
    elif len(plan.stages) > 1:
        PlannedEvolution(plan).prepare_all()
    else:
        plan.prepare()
    if main.searched is not problem:  # compile the final evaluation of rows
        row = first_row(problem, settings.start, settings.backend)
        backend = get_backend(settings.backend)
        with backend.current():
            problem.compared_costs(backend, row, problem.cost(row))
    return Seat(job, settings, plan)


def advance(order: Order) -> Report:
    """Search an island for a stretch."""
    begin, seat = time.perf_counter(), seats.get((order.run, order.island))
    if seat is None:
        raise UnknownRunError(f"worker: the run {order.run} is unknown")
    job, watch = seat.job, Stopwatch.of(order.stretch.seconds)
    with _cores():
        early = False
        if seat.population is None or seat.life != order.life:
            seat.population, seat.life = make_population(seat, order), order.life
            early = _ends_at_standstill(seat, order)
        population = seat.population
        watcher = Watcher(order, population, _stopped, Standstill() if early else None)
        population.callback = watcher.told
        arrived = time.perf_counter()
        if not population.finished and len(order.guests):
            adopt_guests(population, job.problem, order.guests)
        adopting = time.perf_counter() - arrived
        stretch = replace(order.stretch, seconds=watch.left)
        statistics = population.advance(stretch, watcher)
        searched = time.perf_counter()
        elites = elites_of(population, job.problem, job.best, job.distant)
        costs = population.costs
    statistics.history.clear()  # the coordinator keeps the history of all islands
    end = time.perf_counter()
    return Report(
        island=order.island,
        life=order.life,
        number=order.number,
        elites=elites,
        size=len(costs),
        mean=float(costs.mean()),
        statistics=statistics,
        finished=population.finished,
        searched=searched - begin - adopting,
        exchanged=adopting + end - searched,
    )


def begin(packed: bytes, order: Order) -> Report:
    """Prepare an island on a worker that does not have it, and search it for a stretch."""
    settle(packed, order.run, order.island)
    return advance(order)


def collect(run: str, island: int) -> Elites | None:
    """Return all rows of an island with recomputed costs; None if it is not on this worker."""
    seat = seats.get((run, island))
    if seat is None or seat.population is None:
        return None
    problem, rows, costs = seat.job.problem, seat.population.tours, seat.population.costs
    with _cores():
        tsp = problem.tsp
        if tsp is None or tsp.cost_dtype != np.int64:
            return Elites.of(problem, rows, costs).valued(problem)
        with get_backend(seat.settings.backend).current():
            return Elites.of(problem, rows, tsp.cost(rows))


def solve_share(packed: bytes, run: str) -> ManyFound:
    """Solve a share of many problems; if the run is stopped, return what was found so far."""

    def look(progress: Progress) -> None:
        if run in _stopped:
            raise KeyboardInterrupt

    call: ManyCall = pickle.loads(packed)
    with _cores():
        found = call.solve(look)
    return ManyFound(found.tours, found.costs, found.feasible, found.statistics, found.own)


async def stop(run: str) -> None:
    """End the stretches of a run after their current launch."""
    _stopped.add(run)


async def leave(run: str) -> None:
    """Forget a run, and end its stretches after their current launch."""
    _stopped.add(run)
    for key in [key for key in list(seats) if key[0] == run]:
        seats.pop(key, None)


def make_population(seat: Seat, order: Order) -> Population:
    """Return the population of an island that begins or restarts."""
    job, settings = seat.job, seat.settings
    seed, first_row = order.seed, job.first_row + ROWS * order.island
    if order.life:
        seed = derived(seed, order.life)
    place: dict[str, Any] = {
        "seed": seed,
        "backend": settings.backend,
        "first_row": first_row,
        "target": settings.target,
    }
    timed = order.stretch.seconds < math.inf  # kicks cannot limit generations
    if len(seat.plan.stages) > 1 and timed and order.rows is None and not order.life:
        random = np.random.default_rng([seed, first_row])
        return StagedPopulation(seat.plan, random, least=LEAST, full=True)
    rows = None if makes_rows(settings.search) else _starts(seat, order, seed)
    return population_of(
        settings.search,
        seat.plan.main.searched,
        rows,
        calls=order.number,
        seconds=order.stretch.seconds if order.life else order.left,
        parts=PARTS if order.life else 1,  # lets a restarted island report soon, with fewer rows
        moves=settings.moves,
        memory_limit=job.memory_limit,
        asked=job.problem,
        **place,
    )


def _ends_at_standstill(seat: Seat, order: Order) -> bool:
    """Return whether the first stretch ends early: once crossovers stop improving the best tour."""
    crosses = getattr(getattr(seat.settings.search, "cooperation", None), "crosses", False)
    return crosses and seat.job.islands > 1 and order.stretch.kicks is None


def _starts(seat: Seat, order: Order, seed: int) -> Any:
    """Return the given rows, plus constructed ones up to the population's size."""
    problem, settings = seat.job.problem, seat.settings
    given = np.empty((0, problem.n), np.int32) if order.rows is None else order.rows
    size = order.size or settings.population or 1
    missing = size - len(given)
    if missing <= 0:
        return given[:size]
    own = derived(seed, order.island, STARTS)
    place: dict[str, Any] = {"seed": own, "backend": settings.backend}
    made = first_rows(problem, missing, settings.start, rows=settings.rows, **place)
    return np.concatenate([given, made]) if len(given) else made


@contextmanager
def _cores() -> Iterator[None]:
    """Limit the number of CPU threads to that of the Dask worker."""
    worker = this_worker()
    with nullcontext() if worker is None else threads_at_most(worker.state.nthreads):
        yield
