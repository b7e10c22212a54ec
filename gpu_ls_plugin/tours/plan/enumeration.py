"""Enumeration of all tours of very small problems."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.result import Result, Statistics, record_point
from gpu_ls_plugin.runs.plan import Stage
from gpu_ls_plugin.tours.engines.compiling_ahead import SMALLEST_KICKED
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback


class Enumeration:
    """A search that returns the best of all solutions, which are already known.

    Parameters
    ----------
    rows : int32 array, shape (K, n)
        All solutions, best first.
    size : int
        Number of rows to return; if it is more than K, rows repeat.
    """

    name = "enumeration"

    def __init__(self, rows: NDArray[np.int32], size: int) -> None:
        self._rows, self._size = rows, size

    def __repr__(self) -> str:
        return "the best of all solutions"

    def __call__(
        self, problem: Problem, _: Any = None, *, backend: str, callback: Callback | None, **__: Any
    ) -> Result:
        """Return the best rows."""
        watch, statistics = Stopwatch(None), Statistics(backend=backend, stopped_by="optimum")
        with statistics.phase("enumeration"):
            tours = self._rows[np.resize(np.arange(len(self._rows)), self._size)]
            costs = problem.cost(tours)
        statistics.seconds, statistics.climbs = watch.elapsed, len(tours)
        point = Point(statistics.seconds, 0, costs[0].item(), float(costs.mean()))
        record_point(
            statistics, callback, point, len(tours), done=len(tours), best_tours=tours.copy
        )
        return Result(tours, costs, statistics, problem)


def enumerated(problem: Problem, rows: NDArray[np.int32], size: int | None) -> Stage:
    """Return a stage whose search returns the first `size` of known rows, best first."""
    why = "there are few solutions"
    return Stage("enumeration", why, Enumeration(rows, size or 1), problem, problem)


def best_of_all(problem: Problem) -> NDArray[np.int32] | None:
    """Return all rows, best first; None if there are too many."""
    tours = tour_problem(problem)
    if tours.n >= SMALLEST_KICKED or tours.rows is not None:
        return None
    rows = _all_tours(problem)
    broken = ~problem.feasible(rows) if problem.constrained else np.zeros(len(rows), np.bool_)
    return rows[np.lexsort((tours.cost(rows), broken))]


def _all_tours(problem: Problem) -> NDArray[np.int32]:
    """Return all permutations, or those that begin at city 0 if the first city does not matter."""
    tours = tour_problem(problem)
    turned = tours.objective.length_alone or tours is not problem  # routes can be rotated, too
    others = itertools.permutations(range(turned, tours.n))
    rows = np.array([(*range(turned), *other) for other in others], np.int32)
    return rows.reshape(len(rows), tours.n)
