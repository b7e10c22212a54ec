"""The arguments of `solve`: a problem, an array or a file, and rows to start from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_gpu
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.runs.domain import of_each
from gpu_ls_plugin.solver.reading import read_problem
from gpu_ls_plugin.solver.run import with_better_row

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem


def problem_of(given: Problem | ArrayLike | str | os.PathLike[str]) -> Problem:
    """Return the problem in an array or a file; any other object is returned unchanged.

    Parameters
    ----------
    given : Problem, array_like or path
        Coordinates (n, 2), distances (n, n), or a file of any kind that `read_problem` knows.

    Raises
    ------
    InvalidProblemError
        The array is neither coordinates nor distances, or could be both.
    GpuLsError, OSError
        See `read_problem` and `TSP`.
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
    """Return the given initial rows, the cheapest first; None if a construction makes them.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        See `Problem.check`.
    """
    if start is None or isinstance(start, str):
        return None
    given: Any = start.get() if on_gpu(start) and hasattr(start, "get") else start
    rows = problem.check(given, parameter="start")
    ordered: NDArray[np.int32] = Result(rows, problem.cost(rows), problem=problem).sorted().tours
    return ordered


def no_worse(found: Result, rows: NDArray[np.int32]) -> Result:
    """Return a result that is no worse than the first of the rows that the search started from."""
    problem = found.problem
    assert problem is not None
    return with_better_row(found, Result(rows[:1], problem.cost(rows[:1]), problem=problem))
