"""Problems of so few cities or customers that all solutions are looked at."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.history import Point
from gpu_ls_plugin.problems.assignment import Assignment
from gpu_ls_plugin.problems.cvrp import CVRP
from gpu_ls_plugin.problems.tsp import tour_problem
from gpu_ls_plugin.result import Result, Statistics, told
from gpu_ls_plugin.searches.chains.rehearsal import SMALLEST_KICKED
from gpu_ls_plugin.solver.few_customers import are_few, best_routes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Callback
    from gpu_ls_plugin.solver.settings import Settings


def solve_tiny(
    problem: Problem, given: Settings, chosen: Settings, callback: Callback | None
) -> Result | None:
    """Return the best of all solutions; None if there are too many, or more than time is asked for.

    Parameters
    ----------
    problem : Problem
    given, chosen : Settings
        As they were asked for, and completed. The result has as many rows as the population, the
        best first.
    callback : callable, optional
        Called once, with a `Progress`.
    """
    if isinstance(problem, Assignment) or not given.by_time_alone:
        return None
    statistics = Statistics(backend=get_backend(chosen.backend).name, stopped_by="optimum")
    with statistics.phase("enumeration"):
        rows = _best_rows(problem)
        if rows is None:
            return None
        tours = rows[np.resize(np.arange(len(rows)), chosen.population or 1)]
        costs = problem.cost(tours)
    statistics.seconds = statistics.phases["enumeration"]
    statistics.climbs = len(tours)
    point = Point(statistics.seconds, 0, costs[0].item(), float(costs.mean()))
    told(statistics, callback, point, len(tours), done=len(tours), best_tours=tours.copy)
    return Result(tours, costs, statistics, problem)


def _best_rows(problem: Problem) -> NDArray[np.int32] | None:
    """Return rows, an optimum first; None if they cannot be enumerated."""
    tours = tour_problem(problem)
    if tours.n < SMALLEST_KICKED and tours.rows is None:
        rows = _all_tours(problem)
        broken = ~problem.feasible(rows) if problem.constrained else np.zeros(len(rows), np.bool_)
        return rows[np.lexsort((tours.cost(rows), broken))]
    if not are_few(problem):
        return None
    assert isinstance(problem, CVRP)
    routes = best_routes(problem)
    return None if routes is None else problem.tour(routes)[np.newaxis]


def _all_tours(problem: Problem) -> NDArray[np.int32]:
    """Return all permutations; those that begin with city 0 where costs do not ask for more."""
    tours = tour_problem(problem)
    turned = tours.objective.length_alone or tours is not problem  # routes may be turned, too
    others = itertools.permutations(range(turned, tours.n))
    rows = np.array([(*range(turned), *other) for other in others], np.int32)
    return rows.reshape(len(rows), tours.n)
