"""The arguments of `solve_many`: problems, grouped by their domains, and rows to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_gpu, on_host
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    GpuLsError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.runs.domain import domain_of, domains

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.runs.domain import Domain

WANTED = "a list of problems, or coordinates of shape (B, n, 2)"


def problems_of(given: Any, metric: Any) -> Sequence[Any]:
    """Return the problems of a list, or those that a domain reads from arrays.

    Raises
    ------
    InvalidProblemError, InvalidTypeError, InvalidParameterError
        The input or one of its rows is invalid; the error names the row.
    """
    if on_gpu(given) and hasattr(given, "get"):
        given = given.get()
    if not isinstance(given, (list, tuple, np.ndarray)):
        if hasattr(given, "__dlpack__"):
            raise InvalidTypeError(
                f"problems: {type(given).__name__} is an array of another library; convert it to "
                "NumPy, or improve rows with gls.improve"
            )
        raise InvalidTypeError(f"problems: {given!r:.80} is not {WANTED}")
    if isinstance(given, (list, tuple)):
        if not given:
            raise InvalidProblemError(f"problems: the list is empty; give {WANTED}")
        _check_alike(given)
        if isinstance(given[0], Problem):
            if metric is None:
                return given
            raise InvalidParameterError(
                "metric: each problem has its own lengths; leave the parameter out, or pass "
                "coordinates"
            )
    for domain in domains():
        problems = domain.of_arrays(given, metric)
        if problems is not None:
            return problems
    raise InvalidTypeError(f"problems: {given!r:.80} is not {WANTED}")


def _check_alike(given: Sequence[Any]) -> None:
    """Raise InvalidTypeError if a list contains problems and other objects."""
    problems = isinstance(given[0], Problem)
    for row, one in enumerate(given):
        if isinstance(one, Problem) != problems:
            other = "a problem" if problems else "none"
            raise InvalidTypeError(
                f"problems: row {row} is a {type(one).__name__}, but row 0 is {other}; give "
                f"{WANTED}"
            )


def groups_of(problems: Sequence[Any]) -> dict[Domain, NDArray[np.int64]]:
    """Return the indices of the problems of each domain.

    Raises
    ------
    InvalidTypeError, UnsupportedProblemError
        No domain solves a problem; the error names its row.
    """
    if not isinstance(problems, (list, tuple)):  # a domain has read them from arrays
        return {domain_of(problems[0]): np.arange(len(problems))}
    rows: dict[Domain, list[int]] = {}
    known = domains()[::-1]
    for row, problem in enumerate(problems):
        try:
            domain = next((own for own in known if own.serves(problem)), None)
            domain = domain or domain_of(problem)  # which says why there is none
        except InvalidTypeError as error:
            raise InvalidTypeError(f"problems: row {row}: {error}") from error
        if (reason := domain.why_not_many(problem)) is not None:
            raise UnsupportedProblemError(f"problems: row {row} {reason}")
        rows.setdefault(domain, []).append(row)
    return {domain: np.array(own) for domain, own in rows.items()}


def starts_of(problems: Sequence[Any], start: Any) -> list[NDArray[np.int32] | None] | None:
    """Return the rows from which each problem starts, the cheapest first; None if none are given.

    Parameters
    ----------
    problems : sequence of Problem
        B problems.
    start : array of shape (B, n) or (B, P, n), list of B entries, str or None
        An entry of a list is an array (n,) or (P, n), or None. The name of a construction gives no
        rows here.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        The rows do not suit the problems; the message names the problem.
    """
    if start is None or isinstance(start, str):
        return None
    rows = start if isinstance(start, (list, tuple)) else _array(start)
    if len(rows) != len(problems):
        raise InvalidTourError(
            f"start: rows for {len(rows):,} problems, but there are {len(problems):,}; give an "
            "entry for each, None for problems without rows"
        )
    return [_rows(problems[k], own, f"start[{k}]") for k, own in enumerate(rows)]


def _array(start: Any) -> NDArray[Any]:
    checks.unmasked("start", start, InvalidTourError)
    array: NDArray[Any] = on_host(start)
    if array.ndim not in (2, 3):
        raise InvalidTourError(
            f"start: shape {array.shape}, but rows of B problems are (B, n) or (B, P, n)"
        )
    return array


def _rows(problem: Any, own: Any, name: str) -> NDArray[np.int32] | None:
    """Return the checked rows of one problem, the cheapest first."""
    if own is None:
        return None
    try:
        rows = problem.check(on_host(own) if on_gpu(own) else own, parameter=name)
    except GpuLsError as error:
        if str(error).startswith(name):
            raise
        raise type(error)(f"{name}: {error}") from error
    if len(rows) > 1:
        rows = Result(rows, problem.cost(rows), problem=problem).sorted().tours
    found: NDArray[np.int32] = rows
    return found
