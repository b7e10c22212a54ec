"""One tour before random ones are searched, for times that may be too short for their descents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.construction.nearest_neighbour import first_cities, nearest_neighbour
from gpu_ls_plugin.history import Point
from gpu_ls_plugin.problems.tsp import TSP, tour_problem
from gpu_ls_plugin.result import Result, Statistics, told
from gpu_ls_plugin.searches.opening import DESCENT_SECONDS
from gpu_ls_plugin.solver.opened import Opened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.budget import Stopwatch
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Callback
    from gpu_ls_plugin.solver.settings import Settings

# Seconds in which random tours surely become better than this one, on a slow core: in all, for a
# city, and for an entry of a matrix, of which candidate lists are made.
SECONDS, SECONDS_OF_CITY, SECONDS_OF_ENTRY = 0.05, 1e-4, 4e-7
FEW = 24  # cities


def first_tour(problem: Problem, given: Settings, chosen: Settings) -> FirstTour | None:
    """Return how a solve begins that has little time for random tours, else None."""
    limits = (given.start, given.rows, given.kicks, given.moves)
    if chosen.start != "random_tours" or any(limit is not None for limit in limits):
        return None
    tours = tour_problem(problem)
    entries = 0 if tours.matrix is None else tours.n**2
    enough = SECONDS + SECONDS_OF_CITY * tours.n + SECONDS_OF_ENTRY * entries
    return FirstTour(problem, chosen) if chosen.seconds < enough and tours.rows is None else None


class FirstTour(Opened):
    """A nearest-neighbour tour, which is the result if a search finds nothing better.

    Parameters
    ----------
    problem : Problem
        Of tours.
    chosen : Settings
        Completed.
    """

    def __init__(self, problem: Problem, chosen: Settings) -> None:
        super().__init__(chosen)
        self._problem, self._tours = problem, tour_problem(problem)

    def compile(self) -> None:
        """Compile what makes the tour."""
        if self._tours.matrix is None:
            assert self._tours.coordinates is not None
            some = TSP(self._tours.coordinates[:FEW], self._tours.metric)
            nearest_neighbour(some, backend=self.chosen.backend)

    def begin(self, watch: Stopwatch, callback: Callback | None) -> None:
        """Make the tour."""
        matrix = self._tours.matrix
        if matrix is None:
            tours: Any = nearest_neighbour(self._tours, backend=self.chosen.backend)
        else:
            tours = nearest_by_rows(matrix)[np.newaxis]
        costs = self._problem.cost(tours)
        statistics = Statistics(backend=get_backend(self.chosen.backend).name, stopped_by="seconds")
        point = Point(watch.elapsed, 0, costs[0].item(), float(costs.mean()))
        told(statistics, callback, point, len(tours))
        self.found = Result(tours, costs, statistics, self._problem)

    def join(self, tours: NDArray[Any]) -> None:
        """Let the tour be searched first if there is no time to descend from the others."""
        work = DESCENT_SECONDS * tours.size / get_backend(self.chosen.backend).processors
        if self.chosen.seconds < work:
            tours[0] = self.found.best_tour


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
