"""What algorithms whose population stays on the device search behind a pymoo problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.batches.rows import checked
from gpu_ls_pymoo.assignment import AssignmentProblem
from gpu_ls_pymoo.problems import as_tsp

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.problems.assignment import Assignment
    from gpu_ls_plugin.problems.tsp import TSP


def solved_by(problem: Any) -> TSP | Assignment:
    """Return the problem of ours: an assignment problem, or one of tours as `as_tsp` says."""
    return problem.problem if isinstance(problem, AssignmentProblem) else as_tsp(problem)


def rows_of(problem: Any, rows: ArrayLike, parameter: str) -> NDArray[Any]:
    """Return rows of pymoo as ours, or say which one is none.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        A row is not one of the problem's; it is named.
    """
    if isinstance(problem, AssignmentProblem):
        return problem.domains.states(rows, parameter)
    return checked(rows, as_tsp(problem).n, parameter)
