"""Stages that make one tour before a run searches a population."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.result import Result, Statistics, record_point
from gpu_ls_plugin.runs.plan import Stage
from gpu_ls_plugin.tours.candidates.reduced_costs import ReducedCosts
from gpu_ls_plugin.tours.construction.nearest_neighbour import first_cities, nearest_neighbour
from gpu_ls_plugin.tours.plan.settings import may_assign
from gpu_ls_plugin.tours.problem.assignment_relaxation import AssignmentRelaxation
from gpu_ls_plugin.tours.problem.tsp import TSP, tour_problem
from gpu_ls_plugin.tours.searches.good_tour import DESCENT_SECONDS, GoodTour, number_of_chains
from gpu_ls_plugin.tours.searches.iterated import ChainsOfOneTour
from gpu_ls_plugin.tours.searches.symmetrised import Symmetrised

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.runs.plan import Found
    from gpu_ls_plugin.runs.settings import Request, Settings

# Measured: docs/lab/tours.md, "The first tour". A population becomes better than one good tour
# after the time in which all cores together make `KICKS_ALONE` kicks per city. In a shorter run,
# the good tour gets all the time; otherwise it gets `SHARE` of that time.
KICKS_ALONE, SHARE = 3.0, 0.25
KICKS_PER_SECOND = 2.5e4  # estimate per core, until measured
# The same time on a GPU: a constant in seconds, plus a factor times a power of the cities.
LEAST_ON_GPU, OF_A_GPU, POWER_ON_GPU = 0.006, 4.8e-7, 1.4
# Maximum length of a patched assignment that joins a population, as a multiple of the assignment's.
NEARLY = 1.02
# A patched assignment of more than this multiple shows that lengths are like distances. A CPU then
# needs this time, in seconds of a core per power of the cities, before the symmetric form is better
# than 3-opt of the asymmetric one (docs/lab/tours.md, "Asymmetric problems").
FAR, OF_TWIN, POWER_OF_TWIN = 1.2, 6e-11, 4
FEW_CANDIDATES = ReducedCosts(5)  # if chains start from a patched assignment
EXACT = 2**53  # n times the longest length must be less
# Seconds in which a search of random tours surely beats a nearest-neighbour tour, on a slow core:
# the sum of a constant, a time per city, and a time per entry of a matrix (for candidate lists).
SECONDS, SECONDS_OF_CITY, SECONDS_OF_ENTRY = 0.05, 1e-4, 4e-7
FEW = 24  # number of cities of the small problem with which programs are compiled


def good_tour_stage(problem: Problem, request: Request, chosen: Settings) -> Stage | None:
    """Return the stage of one good tour, or None if the run should begin with its population.

    If there is no time for a population, this is the only stage, and its seconds are infinite.
    Also return None if the user has passed a search, starts, or limits other than time and target.
    """
    given, backend = request.given, request.backend
    if not given.by_time_alone or not GoodTour.serves(problem):
        return None
    tours, fixed_size = tour_problem(problem), given.population is not None
    needed = _seconds_needed(tours, KICKS_PER_SECOND * number_of_chains())
    if backend.name != "cpu":
        needed = LEAST_ON_GPU + OF_A_GPU * tours.n**POWER_ON_GPU
    alone = chosen.seconds < needed and not fixed_size
    if not alone and backend.name != "cpu":
        return None
    return Stage(
        "one good tour",
        "no time for a population" if alone else "it takes milliseconds",
        GoodTour(ChainsOfOneTour),
        problem,
        problem,
        seconds=math.inf if alone else SHARE * needed,
        prepare=partial(_compile, seconds=chosen.seconds if alone else SHARE * needed),
        after=None if alone or fixed_size else _unless_slow,
    )


def _seconds_needed(problem: TSP, kicks_per_second: float) -> float:
    """Return the seconds after which a population is better than one tour."""
    return KICKS_ALONE * problem.n / kicks_per_second


def _unless_slow(
    stage: Stage, found: Found, left: float, rest: tuple[Stage, ...]
) -> tuple[Stage, ...]:
    """Return the next stages, or only the good tour if this machine is too slow for them.

    A stage that ended before its first kick says nothing about the machine.
    """
    assert found.result is not None
    own = found.result.statistics
    rate = own.kicks / max(own.phases.get("kicks", 0.0), 1e-6)
    if not own.kicks or left > _seconds_needed(tour_problem(stage.problem), rate):
        return rest
    return (replace(stage, rows=found.result.tours, seconds=math.inf, after=None),)


def first_tour_stage(problem: Problem, request: Request, chosen: Settings) -> Stage | None:
    """Return the stage of a nearest-neighbour tour, or None if there is time for random tours.

    The tour is the result if the search of random tours finds nothing better. It also
    replaces the first random tour if there is no time to descend from all of them.
    """
    given = request.given
    limits = (given.start, given.rows, given.kicks, given.moves)
    if chosen.start != "random_tours" or any(limit is not None for limit in limits):
        return None
    tours = tour_problem(problem)
    entries = 0 if tours.matrix is None else tours.n**2
    enough = SECONDS + SECONDS_OF_CITY * tours.n + SECONDS_OF_ENTRY * entries
    if chosen.seconds >= enough or tours.rows is not None:
        return None
    why = "there may be no time for random tours to become better"
    search = FirstTour(chosen.backend)
    return Stage("first tour", why, search, problem, problem, prepare=_compile)


def patched_stage(
    problem: Problem, request: Request, chosen: Settings, plain: Callable[[], Stage]
) -> Stage | None:
    """Return the stage of a patched assignment for an asymmetric problem, None for other problems.

    If the problem is searched in its twin, the population begins with this tour if it is nearly as
    short as the assignment. A tour that is much longer would displace better edges of random tours.
    If it is far longer and time is short, stage `plain()` follows, which searches without the twin.
    Without a twin, all chains start from the tour unless it is far longer.
    """
    twin, tours = isinstance(chosen.search, Symmetrised), tour_problem(problem)
    if tours.symmetric or not (twin or _patched_alone(tours, request)):
        return None
    needed = OF_TWIN * tours.n**POWER_OF_TWIN / request.backend.processors
    short = twin and request.backend.name == "cpu" and chosen.seconds < needed
    return Stage(
        "patched assignment",
        "in some asymmetric problems, it is nearly the shortest tour",
        PatchedTour(chosen.backend),
        problem,
        problem,
        seconds=0.0,  # it takes as long as it takes
        prepare=_compile,
        after=partial(_after_patching, plain=plain() if short else None),
    )


def _patched_alone(problem: TSP, request: Request) -> bool:
    """Return whether a problem without a twin, such as one of real lengths, gets a patched tour."""
    return (
        request.given.by_time_alone
        and may_assign(problem, request)
        and problem.n * problem.metric.longest(problem.values) < EXACT
    )


def _after_patching(
    stage: Stage, found: Found, left: float, rest: tuple[Stage, ...], plain: Stage | None
) -> tuple[Stage, ...]:
    """Return the next stages: with the patched tour if it is short, no twin if it is long."""
    length, bound = found.worth[-1], AssignmentRelaxation.of(tour_problem(stage.problem)).bound
    far, main = length > FAR * bound, rest[0]
    if isinstance(main.search, Symmetrised):
        return (plain,) if far and plain else (replace(main, joins=length <= NEARLY * bound),)
    if far:
        return rest
    search = replace(main.search, search=replace(main.search.search, candidates=FEW_CANDIDATES))
    return (replace(main, search=search, rows=np.tile(found.row, (main.size, 1))),)


def too_short_for_descents(problem: Problem, request: Request, chosen: Settings) -> bool:
    """Return whether there is no time to descend from all tours of a population."""
    size = tour_problem(problem).n * (chosen.population or 1)
    return chosen.seconds < DESCENT_SECONDS * size / request.backend.processors


class FirstTour:
    """A search that makes one nearest-neighbour tour."""

    name = "nearest_neighbour"
    goes_on = False  # whether a second call from its rows could find better ones

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def compile(self, problem: TSP, seconds: float) -> None:
        """Compile all programs."""
        if problem.coordinates is not None:
            some = TSP(problem.coordinates[:FEW], problem.metric)
            nearest_neighbour(some, backend=self.backend)

    def __call__(
        self, problem: Problem, _: Any = None, *, callback: Callback | None, **__: Any
    ) -> Result:
        """Return the tour."""
        watch = Stopwatch(None)
        tours = self._tours(tour_problem(problem))
        costs = problem.cost(tours)
        statistics = Statistics(backend=get_backend(self.backend).name, stopped_by="seconds")
        point = Point(watch.elapsed, 0, costs[0].item(), float(costs.mean()))
        try:
            record_point(statistics, callback, point, len(tours))
        except KeyboardInterrupt:
            statistics.stopped_by = "interrupt"
        return Result(tours, costs, statistics, problem)

    def __repr__(self) -> str:
        return f"{self.name}(size=1)"

    def _tours(self, problem: TSP) -> Any:
        if problem.matrix is None:
            return nearest_neighbour(problem, backend=self.backend)
        return nearest_neighbour_tour(problem.matrix)[np.newaxis]


class PatchedTour(FirstTour):
    """A search that makes one tour from a cheapest assignment of successors."""

    name = "patched_assignment"

    def compile(self, problem: TSP, seconds: float) -> None:
        """Import what solves assignments."""
        AssignmentRelaxation.of(TSP.from_matrix(np.ones((2, 2), int))).patched()

    def _tours(self, problem: TSP) -> Any:
        return AssignmentRelaxation.of(problem).patched()[np.newaxis]


def _compile(stage: Stage, seconds: float = math.inf) -> None:
    stage.search.compile(tour_problem(stage.problem), seconds)


def nearest_neighbour_tour(matrix: NDArray[Any]) -> NDArray[np.int32]:
    """Return the tour (n,) of `nearest_neighbour(problem)` for a matrix (n, n).

    The function makes no candidate lists, because these would take much longer.
    """
    n = len(matrix)
    first = int(first_cities(n, 0)[0])
    waiting, tour = np.delete(np.arange(n), first), np.full(n, first, np.int32)
    for place in range(1, n):
        left = n - place
        at = int(matrix[tour[place - 1], waiting[:left]].argmin())
        tour[place] = waiting[at]
        waiting[at : left - 1] = waiting[at + 1 : left]
    return tour
