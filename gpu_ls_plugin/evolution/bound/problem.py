"""Which tours the rows of a framework are, and what they cost there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import violation
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.evolution.batches.rows import checked
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.problem.multi_objective import MultiObjectiveTSP
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

UNKNOWN = 2.0**50  # more than tours cost under an objective that says no bound


def tours_of(problem: object) -> TSP:
    """Return the TSP whose tours a framework's rows are, or say that they are none.

    Given is a TSP, a CVRP, whose giant tours they are then, or anything that a plugin answers for
    by the hook `gpu_ls_problem_from`; several lengths or other objectives are not supported.
    """
    if isinstance(problem, Assignment):
        raise InvalidTypeError(
            f"problem: {problem!r} is not a TSP: it assigns values to variables; use "
            "SuccessorSampling and SuccessorMutation"
        )
    if isinstance(problem, MultiObjectiveTSP):
        raise UnsupportedProblemError(
            "problem: a MultiObjectiveTSP has several lengths, and these operators take one; pass "
            "one of problem.objectives, or use gpu_ls_pymoo.MultiObjectiveTSP and MemeticNSGA2"
        )
    return tour_problem(problem if isinstance(problem, Problem) else plugins.problem_from(problem))


class TourCosts(ShownParameters):
    """Costs of tours, as the fitness of a framework, and their violations of constraints.

    A feasible tour costs what the problem says. An infeasible giant tour of a CVRP costs more than
    any feasible one: what a search pays for violations is added, and the length of the longest
    tours. Of a `penalised` CVRP, and of a TSP under an objective, its user sets what violations
    cost: nothing is added, unless an objective asks no price of a tour that may not be a result.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP, or anything that a plugin makes one of.

    Raises
    ------
    InvalidTypeError
        Nobody knows the type, or its rows are not tours.
    """

    def __init__(self, problem: object) -> None:
        self.problem = tours_of(problem)
        self._barrier = _barrier(self.problem)

    def costs(self, rows: ArrayLike) -> NDArray[Any]:
        """Return the costs of rows, (P,) int64 or float64; one row may stand alone.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            A row is not a tour of the problem; it is named.
        """
        tours = self._checked(rows)
        costs: NDArray[Any] = self.problem.cost(tours)
        if not self._barrier:
            return costs
        broken = ~self.problem.feasible(tours)
        if self._barrier == UNKNOWN:
            broken &= self.problem.objective.costs(self.problem, tours) == 0
        costs[broken] += costs.dtype.type(self._barrier)
        return costs

    def violations(self, rows: ArrayLike) -> NDArray[np.float64]:
        """Return by how much rows break constraints, shape (P,): 0 for feasible ones alone."""
        return violation(self.problem, self._checked(rows))

    def _checked(self, rows: ArrayLike) -> NDArray[np.int32]:
        return checked(rows, self.problem.n, "tours")


def _barrier(problem: TSP) -> float:
    """Return what is more than the cost of any feasible tour; 0 if it is not needed."""
    objective = problem.objective
    if not problem.constrained:
        return 0
    if not isinstance(objective, Routing):
        return UNKNOWN
    routes = objective.problem
    if routes.penalties is not None:
        return 0
    return (math.ceil(routes.longest) + 1) * problem.n
