"""Conversion and checks of frameworks' rows, and keys of rows, in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTourError
from gpu_ls_plugin.core.rows import check_permutations
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem

    Tours = NDArray[np.int32]


def as_tours(rows: ArrayLike) -> NDArray[Any]:
    """Return a framework's rows as a two-dimensional integer array.

    Some frameworks turn integers into floats or objects, as in warm starts and mixed arrays.
    Whole numbers are turned back into integers. Other arrays are returned unchanged, and the
    search rejects them with an error that names the row.
    """
    checks.unmasked("rows", rows, InvalidTourError)
    array = np.asarray(rows)
    array = array.reshape(0, 0) if array.shape == (0,) else np.atleast_2d(array)
    if array.dtype.kind in "fO":
        try:
            with np.errstate(invalid="ignore"):  # the comparison below rejects NaN and infinity
                whole = array.astype(np.int64)
        except (TypeError, ValueError, OverflowError):
            return array
        if np.array_equal(whole, array):
            array = whole
    if array.dtype.kind in "iu" and array.size and array.min() >= 0 and array.max() < 2**31:
        return np.ascontiguousarray(array, dtype=np.int32)
    return array


def checked(rows: ArrayLike, n: int, parameter: str) -> Tours:
    """Return rows (P, n) of whole numbers of any type as int32 tours of n cities.

    If a row is not a permutation of 0..n-1, the error names the row and the `parameter`.
    """
    return check_permutations(_cities(rows, n, parameter), n, parameter=parameter)


def checked_rows(problem: Problem, rows: ArrayLike, parameter: str) -> Tours:
    """Return rows (P, n) of whole numbers of any type as int32 solutions.

    If a row is not a solution, the error names the row and the `parameter`.
    """
    permutations = domain_of(problem).permutations
    array = _cities(rows, problem.n, parameter) if permutations else _array(rows, parameter)
    return problem.check(array, parameter=parameter)


def _array(rows: ArrayLike, parameter: str) -> NDArray[Any]:
    """Return rows as `as_tours` does; raise if they differ in length."""
    checks.unmasked(parameter, rows, InvalidTourError)
    try:
        return as_tours(rows)
    except ValueError as error:
        raise InvalidTourError(f"{parameter}: rows of different lengths") from error


def _cities(rows: ArrayLike, n: int, parameter: str) -> NDArray[Any]:
    """Return rows as `as_tours` does; raise for the first entry that is not a city in 0..n-1."""
    array = _array(rows, parameter)
    if array.dtype.kind not in "iu" and array.shape[1:] == (n,):
        for (row, column), value in np.ndenumerate(array.astype(object)):
            if not _is_city(value, n):
                raise InvalidTourError(
                    f"{parameter}: row {row} holds {value!r} at position {column}, but cities are "
                    f"whole numbers 0..{n - 1}"
                )
    return array


def _is_city(value: Any, n: int) -> bool:
    try:
        return bool(0 <= value < n and value == int(value))
    except (TypeError, ValueError):
        return False


def keys(tours: Tours) -> list[bytes]:
    """Return a hashable key for each row; two keys are equal if and only if their rows are."""
    return [row.tobytes() for row in tours]


def unknown(tours: Tours, known: set[bytes]) -> NDArray[np.bool_]:
    """Return which rows are neither in `known` nor equal to an earlier row, bool (P,)."""
    seen = set(known)
    fresh = np.zeros(len(tours), dtype=np.bool_)
    for row, key in enumerate(keys(tours)):
        fresh[row] = key not in seen
        seen.add(key)
    return fresh
