"""The problem that operators search, and the costs of its tours as fitness."""

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


def problem_for_operators(problem: object) -> Problem:
    """Return a problem in the form that operators take, or raise if it is not supported.

    `problem` is a TSP, a CVRP (rows are its giant tours), another problem whose domain supports
    operators, or an object that a plugin converts through the hook `gpu_ls_problem_from`.
    Problems with several lengths or other objectives are not supported.
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
    """Costs of tours as the fitness of a framework, and how far tours violate constraints.

    A feasible tour has the cost of the problem. An infeasible giant tour of a CVRP costs more than
    any feasible one: the penalties of a search and an upper bound on all lengths are added. In a
    `penalised` CVRP and in a TSP under an objective, users set the costs of violations, so nothing
    is added, unless an objective has no price for tours that it calls infeasible.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP, or an object that a plugin converts into one.

    Raises
    ------
    InvalidTypeError
        No plugin knows the type, or rows of the problem are not tours.
    """

    def __init__(self, problem: object) -> None:
        self.problem = problem_for_operators(problem)

    def costs(self, rows: ArrayLike) -> NDArray[Any]:
        """Return the costs of rows (P, n) or of one row (n,), int64 or float64 (P,).

        Raises
        ------
        InvalidTourError, InvalidTypeError
            A row is not a tour of the problem; the message names the row.
        """
        problem = self.problem
        return domain_of(problem).fitness(problem, self._checked(rows))

    def violations(self, rows: ArrayLike) -> NDArray[np.float64]:
        """Return by how much each row breaks constraints, shape (P,); 0 only for feasible rows."""
        return violation(self.problem, self._checked(rows))

    def _checked(self, rows: ArrayLike) -> NDArray[np.int32]:
        return checked_rows(self.problem, rows, "tours")
