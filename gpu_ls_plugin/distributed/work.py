"""What runs on a worker: tasks by which an island is prepared, goes on and hands over its rows.

Populations stay on the worker between tasks; a worker that has lost them, or never had them, makes
them anew of the rows that come with every order.
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

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.cpu import threads_at_most
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.exceptions import ClusterError
from gpu_ls_plugin.distributed.migrants import elites_of, welcome
from gpu_ls_plugin.distributed.orders import Job, Order, Report, Settled
from gpu_ls_plugin.distributed.watcher import Standstill, Watcher, this_worker
from gpu_ls_plugin.evolution.generations.planned_evolution import PlannedEvolution
from gpu_ls_plugin.evolution.generations.staged_population import StagedPopulation
from gpu_ls_plugin.runs.domain import domain_of, first_row, first_rows
from gpu_ls_plugin.runs.elites import Elites
from gpu_ls_plugin.runs.repeated_calls import makes_rows, population_of
from gpu_ls_plugin.runs.seeds import derived
from gpu_ls_plugin.solver.plans import (
    complete_settings,
    default_settings,
    plan_of,
    plan_of_search,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.runs.plan import Plan
    from gpu_ls_plugin.runs.population import Population
    from gpu_ls_plugin.runs.settings import Settings

ROWS = 2**20  # between the first rows of two islands
STARTS = 1  # tells the seeds of starts from others
LEAST = 1.0  # seconds for a generation, even if its stretch is over before
PARTS = 8  # in which the rows of an island that begins anew are searched, until a stretch is over


@dataclass
class Seat:
    """An island on this worker.

    Attributes
    ----------
    job : Job
    settings : Settings
        Complete.
    plan : Plan
        As `solve` would search, but for tries with fewer vehicles and first tours.
    population : Population or None
        Not made yet.
    life : int
        Of the population.
    """

    job: Job
    settings: Settings
    plan: Plan
    population: Population | None = None
    life: int = -1


KNOWN = 16  # jobs that are kept unpacked, with all that is known of their problems

_known: OrderedDict[tuple[str, int], Seat] = OrderedDict()
_seats: dict[tuple[str, int], Seat] = {}
_stopped: set[str] = set()


class Unsettled(ClusterError):
    """The worker does not know the run: it has been started anew."""


def settle(packed: bytes, run: str, island: int) -> Settled:
    """Unpack a job for an island and compile what it needs."""
    if run in _stopped:
        raise ClusterError(f"worker: the run {run} is over")
    key = sha256(packed).hexdigest(), island  # no two islands share what is made of a problem
    with _cores():
        known = _known.get(key) or _unpacked(packed)
        _known[key] = known
        _known.move_to_end(key)
        while len(_known) > KNOWN:
            _known.popitem(last=False)
        seat = _seats[run, island] = replace(known)
        backend = get_backend(seat.settings.backend)
        return Settled(backend.name, backend.processors, seat.settings)


def _unpacked(packed: bytes) -> Seat:
    """Return a seat for a job; all that it needs is compiled."""
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
    if makes_rows(settings.search):
        _prepare(settings.search, problem, settings.backend)
    elif len(plan.stages) > 1:
        PlannedEvolution(plan).prepare(problem)
    else:
        plan.prepare()
    if main.searched is not problem:  # what rows cost in the end
        row = first_row(problem, settings.start, settings.backend)
        backend = get_backend(settings.backend)
        with backend.current():
            problem.compared_costs(backend, row, problem.cost(row))
    return Seat(job, settings, plan)


def advance(order: Order) -> Report:
    """Let an island go on for a stretch."""
    begin, seat = time.perf_counter(), _seats.get((order.run, order.island))
    if seat is None:
        raise Unsettled(f"worker: nothing is known of the run {order.run}")
    job, watch = seat.job, Stopwatch.of(order.stretch.seconds)
    with _cores():
        asks = False
        if seat.population is None or seat.life != order.life:
            seat.population, seat.life = _begun(seat, order), order.life
            asks = _asks_for_others(seat, order)
        population = seat.population
        watcher = Watcher(order, population, _stopped, Standstill() if asks else None)
        population.callback = watcher.told
        arrived = time.perf_counter()
        if not population.finished and len(order.guests):
            welcome(population, job.problem, order.guests)
        welcomed = time.perf_counter() - arrived
        stretch = replace(order.stretch, seconds=watch.left)
        statistics = population.advance(stretch, watcher)
        searched = time.perf_counter()
        elites = elites_of(population, job.problem, job.best, job.distant)
        costs = population.costs
    statistics.history.clear()  # the coordinator writes one of all islands
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
        searched=searched - begin - welcomed,
        exchanged=welcomed + end - searched,
    )


def begin(packed: bytes, order: Order) -> Report:
    """Do both: an island goes on where it was not before."""
    settle(packed, order.run, order.island)
    return advance(order)


def collect(run: str, island: int) -> Elites | None:
    """Return all rows of an island with their costs from scratch, None where it is not here."""
    seat = _seats.get((run, island))
    if seat is None or seat.population is None:
        return None
    problem, rows, costs = seat.job.problem, seat.population.tours, seat.population.costs
    with _cores():
        tsp = problem.tsp
        if tsp is None or tsp.cost_dtype != np.int64:
            return Elites.of(problem, rows, costs).valued(problem)
        with get_backend(seat.settings.backend).current():
            return Elites.of(problem, rows, tsp.cost(rows))


async def stop(run: str) -> None:
    """Let stretches of a run end at their next launch."""
    _stopped.add(run)


async def leave(run: str) -> None:
    """Forget a run; stretches that are still under way end soon."""
    _stopped.add(run)
    for key in [key for key in list(_seats) if key[0] == run]:
        _seats.pop(key, None)


def _begun(seat: Seat, order: Order) -> Population:
    """Return the population of an island that begins, or begins anew."""
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
    timed = order.stretch.seconds < math.inf  # generations do not end by kicks
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
        parts=PARTS if order.life else 1,  # soon back, if with fewer rows
        moves=settings.moves,
        memory_limit=job.memory_limit,
        asked=job.problem,
        **place,
    )


def _asks_for_others(seat: Seat, order: Order) -> bool:
    """Return whether an island's first stretch ends, for others' tours, once its own converge."""
    crosses = getattr(getattr(seat.settings.search, "cooperation", None), "crosses", False)
    return crosses and seat.job.islands > 1 and order.stretch.kicks is None


def _starts(seat: Seat, order: Order, seed: int) -> Any:
    """Return the rows that are given, and as many of a construction as are missing."""
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


def _prepare(search: Any, problem: Any, backend: str) -> None:
    if hasattr(search, "prepare") and domain_of(problem).empty_rows(problem) is None:
        search.prepare(problem, backend=backend)


@contextmanager
def _cores() -> Iterator[None]:
    """Use no more cores than the worker has."""
    worker = this_worker()
    with nullcontext() if worker is None else threads_at_most(worker.state.nthreads):
        yield
