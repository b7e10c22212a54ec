"""One tour before random ones are searched, for times that may be too short for their descents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.result import Result, Statistics, told
from gpu_ls_plugin.runs.plan import Stage
from gpu_ls_plugin.tours.construction.nearest_neighbour import first_cities, nearest_neighbour
from gpu_ls_plugin.tours.problem.tsp import TSP, tour_problem
from gpu_ls_plugin.tours.searches.opening import DESCENT_SECONDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.runs.request import Request
    from gpu_ls_plugin.runs.settings import Settings

# Seconds in which random tours surely become better than this one, on a slow core: in all, for a
# city, and for an entry of a matrix, of which candidate lists are made.
SECONDS, SECONDS_OF_CITY, SECONDS_OF_ENTRY = 0.05, 1e-4, 4e-7
FEW = 24  # cities


def first_tour(problem: Problem, request: Request, chosen: Settings) -> Stage | None:
    """Return the stage of a tour before random ones, None if there is time for these.

    The tour is the result if the search finds nothing better, and is searched first if there is no
    time to descend from the others.
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
    why = "random tours may not become better than it in the time"
    search = FirstTour(chosen.backend)
    return Stage("first tour", why, search, problem, problem, prepare=_prepare)


def hurried(problem: Problem, request: Request, chosen: Settings) -> bool:
    """Return whether there is no time to descend from the tours of a population."""
    size = tour_problem(problem).n * (chosen.population or 1)
    return chosen.seconds < DESCENT_SECONDS * size / request.backend.processors


class FirstTour:
    """A nearest-neighbour tour."""

    name = "nearest_neighbour"

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def __call__(
        self, problem: Problem, _: Any = None, *, callback: Callback | None, **__: Any
    ) -> Result:
        """Return the tour."""
        watch, matrix = Stopwatch(None), tour_problem(problem).matrix
        if matrix is None:
            tours: Any = nearest_neighbour(tour_problem(problem), backend=self.backend)
        else:
            tours = nearest_by_rows(matrix)[np.newaxis]
        costs = problem.cost(tours)
        statistics = Statistics(backend=get_backend(self.backend).name, stopped_by="seconds")
        point = Point(watch.elapsed, 0, costs[0].item(), float(costs.mean()))
        told(statistics, callback, point, len(tours))
        return Result(tours, costs, statistics, problem)

    def __repr__(self) -> str:
        return "nearest_neighbour(size=1)"


def _prepare(stage: Stage) -> None:
    tours = tour_problem(stage.problem)
    if tours.matrix is None:
        assert tours.coordinates is not None
        some = TSP(tours.coordinates[:FEW], tours.metric)
        nearest_neighbour(some, backend=stage.search.backend)


def nearest_by_rows(matrix: NDArray[Any]) -> NDArray[np.int32]:
    """Return the tour (n,) of `nearest_neighbour(problem)`, by the rows of a matrix (n, n).

    No candidate lists are made, which takes much longer.
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
