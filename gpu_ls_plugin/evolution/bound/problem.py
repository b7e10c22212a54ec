"""Which tours the rows of a framework are, and what they cost there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.batches.rows import checked
from gpu_ls_plugin.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.problems.assignment import Assignment
from gpu_ls_plugin.problems.multi_objective import MultiObjectiveTSP
from gpu_ls_plugin.problems.problem import Problem
from gpu_ls_plugin.problems.tsp import tour_problem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.problems.tsp import TSP


def tours_of(problem: object) -> TSP:
    """Return the TSP whose tours a framework's rows are.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP, whose giant tours they are then, or anything that a plugin answers for by
        the hook `gpu_ls_problem_from`.

    Raises
    ------
    InvalidTypeError
        No plugin knows the type, or its rows are not tours.
    UnsupportedProblemError
        It has several lengths, or evaluates something else than lengths.
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


class TourCosts:
    """What tours cost in a search, as the fitness of a framework.

    That is their exact length; of the giant tours of a CVRP, the travelled cost and what is paid
    for violations: the penalties of the instance, or so much that hardly any length is worth one.

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
        """Return the exact costs of rows, (P,) int64 or float64; one row may stand alone.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            A row is not a tour of the problem; it is named.
        """
        costs: NDArray[Any] = self.problem.cost(checked(rows, self.problem.n, "tours"))
        return costs
