"""What algorithms whose population stays on the device search behind a pymoo problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_pymoo.assignment import AssignmentProblem
from gpu_ls_pymoo.problems import as_tsp
from gpu_ls_pymoo.recognition import require_own_evaluation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem

SAMPLE = 8  # rows by which an evaluation is recognised


def solved_by(problem: Any) -> Problem:
    """Return the problem of ours: an assignment problem, or one of tours as `as_tsp` says.

    Raises
    ------
    UnsupportedProblemError
        It is of a subclass that evaluates something else.
    """
    if not isinstance(problem, AssignmentProblem):
        return as_tsp(problem)
    require_own_evaluation(problem, AssignmentProblem, lambda: _some_rows(problem))
    return problem.problem


def rows_of(problem: Any, rows: ArrayLike, parameter: str) -> NDArray[Any]:
    """Return rows of pymoo as ours, or say which one is none.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        A row is not one of the problem's; it is named.
    """
    if isinstance(problem, AssignmentProblem):
        return problem.domains.states(rows, parameter)
    return checked_rows(as_tsp(problem), rows, parameter)


def _some_rows(problem: AssignmentProblem) -> NDArray[Any]:
    """Return a few random rows of an assignment problem."""
    random, shape = np.random.default_rng(0), (SAMPLE, problem.n_var)
    if problem.problem.distinct:
        return random.permuted(np.tile(np.arange(problem.n_var), (SAMPLE, 1)), axis=1)
    return random.integers(0, np.asarray(problem.domains.highest) + 1, shape)
