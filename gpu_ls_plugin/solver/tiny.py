"""Problems of so few cities that all tours are looked at."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.history import Point
from gpu_ls_plugin.problems.assignment import Assignment
from gpu_ls_plugin.problems.tsp import tour_problem
from gpu_ls_plugin.result import Result, Statistics, told
from gpu_ls_plugin.searches.chains.rehearsal import SMALLEST_KICKED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Callback
    from gpu_ls_plugin.solver.settings import Settings


def is_tiny(problem: Problem, given: Settings) -> bool:
    """Return whether a problem has too few cities for kicks, and `given` asks for time alone."""
    if isinstance(problem, Assignment) or not given.by_time_alone:
        return False
    tours = tour_problem(problem)
    return tours.n < SMALLEST_KICKED and tours.rows is None


def solve_tiny(problem: Problem, chosen: Settings, callback: Callback | None) -> Result:
    """Return the best of all tours, as many as the population, the best first.

    Parameters
    ----------
    problem : Problem
        That is tiny.
    chosen : Settings
        Completed.
    callback : callable, optional
        Called once, with a `Progress`.
    """
    statistics = Statistics(backend=get_backend(chosen.backend).name, stopped_by="optimum")
    with statistics.phase("enumeration"):
        rows = _all_tours(problem)
        costs = tour_problem(problem).cost(rows)
        broken = ~problem.feasible(rows) if problem.constrained else np.zeros(len(rows), np.bool_)
        order = np.resize(np.lexsort((costs, broken)), chosen.population or 1)
    tours, costs = rows[order], costs[order]
    statistics.seconds = statistics.phases["enumeration"]
    statistics.climbs = len(tours)
    point = Point(statistics.seconds, 0, costs[0].item(), float(costs.mean()))
    told(statistics, callback, point, len(tours), done=len(tours), best_tours=tours.copy)
    return Result(tours, costs, statistics, problem)


def _all_tours(problem: Problem) -> NDArray[np.int32]:
    """Return all permutations; those that begin with city 0 where costs do not ask for more."""
    tours = tour_problem(problem)
    turned = tours.objective.length_alone or tours is not problem  # routes may be turned, too
    others = itertools.permutations(range(turned, tours.n))
    rows = np.array([(*range(turned), *other) for other in others], np.int32)
    return rows.reshape(len(rows), tours.n)
