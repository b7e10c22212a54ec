"""Which tours the rows of a framework are, and what they cost there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import violation
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


def tours_of(problem: object) -> Problem:
    """Return the problem whose rows a framework has, as operators take it, or say why they do not.

    Given is a TSP, a CVRP, whose giant tours they are then, another problem whose domain supports
    it, or anything that a plugin answers for by the hook `gpu_ls_problem_from`; several lengths or
    other objectives are not supported.
    """
    if getattr(problem, "n_objectives", 1) > 1:
        raise UnsupportedProblemError(
            f"problem: a {type(problem).__name__} has several lengths, and these operators take "
            "one; pass one of problem.objectives, or use gpu_ls_pymoo.MultiObjectiveTSPProblem and "
            "MemeticNSGA2"
        )
    found = problem if isinstance(problem, Problem) else plugins.problem_from(problem)
    return domain_of(found).for_operators(found)


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

    def costs(self, rows: ArrayLike) -> NDArray[Any]:
        """Return the costs of rows, (P,) int64 or float64; one row may stand alone.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            A row is not a tour of the problem; it is named.
        """
        problem = self.problem
        costs: NDArray[Any] = domain_of(problem).fitness(problem, self._checked(rows))
        return costs

    def violations(self, rows: ArrayLike) -> NDArray[np.float64]:
        """Return by how much rows break constraints, shape (P,): 0 for feasible ones alone."""
        return violation(self.problem, self._checked(rows))

    def _checked(self, rows: ArrayLike) -> NDArray[np.int32]:
        return checked_rows(self.problem, rows, "tours")
