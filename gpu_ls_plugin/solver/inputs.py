"""What `solve` is given: a problem, an array or a file; a construction or rows to start from."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.runs.domain import of_each
from gpu_ls_plugin.solver.reading import read_problem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem


def problem_of(given: Problem | ArrayLike | str | os.PathLike[str]) -> Problem:
    """Return the problem of an array or a file; anything else is returned as it is.

    Parameters
    ----------
    given : Problem, array_like or path
        Coordinates (n, 2), distances (n, n), or a file of any kind that `read_problem` knows.

    Raises
    ------
    InvalidProblemError
        The array is neither, or may be both.
    GpuLsError, OSError
        As `read_problem` and `TSP` do.
    """
    if isinstance(given, str | os.PathLike):
        return read_problem(given)
    checks.unmasked("problem", given, InvalidProblemError)
    if isinstance(given, list | tuple):
        try:
            given = np.asarray(given)
        except ValueError as error:
            raise InvalidProblemError("problem: the rows have different lengths") from error
    shape = getattr(given, "shape", None)
    if not isinstance(shape, tuple):
        return given  # type: ignore[return-value]
    array: Any = given
    for made in of_each(lambda domain: domain.of_array(array)):
        if made is not None:
            return made
    raise InvalidProblemError(
        f"problem: an array of shape {shape} is neither coordinates (n, 2) nor distances (n, n)"
    )


def rows_of(problem: Problem, start: object) -> NDArray[np.int32] | None:
    """Return the rows that a search starts from, cheapest first; None for a construction.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        As `Problem.check`.
    """
    if start is None or isinstance(start, str):
        return None
    given: Any = start.get() if hasattr(start, "get") else start
    rows = problem.check(given, parameter="start")
    ordered: NDArray[np.int32] = Result(rows, problem.cost(rows), problem=problem).sorted().tours
    return ordered


def no_worse(found: Result, rows: NDArray[np.int32]) -> Result:
    """Return a result whose best row is no worse than the first of the rows it started from.

    If it is, that row takes the place of the last one.
    """
    problem = found.problem
    assert problem is not None
    best, cost = rows[:1], problem.cost(rows[:1])
    pair = (np.stack([found.best_tour, best[0]]), np.array([found.best_cost, cost[0]]))
    if Result(*pair, problem=problem)._best == 0:
        return found
    tours, costs = found.tours.copy(), found.costs.copy()
    tours[-1], costs[-1] = best[0], cost[0]
    return replace(found, tours=tours, costs=costs).sorted()
