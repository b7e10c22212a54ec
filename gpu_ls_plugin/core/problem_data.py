"""Checks of the arrays and labels that define problems."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def array_of(values: ArrayLike, parameter: str) -> NDArray[Any]:
    """Return a copy as an array of integers or floats; raise if entries are masked."""
    checks.unmasked(parameter, values, InvalidProblemError)
    try:
        array = np.array(values)
    except ValueError as error:
        raise InvalidProblemError(f"{parameter}: rows of different lengths") from error
    except TypeError as error:
        raise InvalidTypeError(f"{parameter}: {error}") from error
    if array.dtype.kind == "O" and array.size and all(isinstance(item, int) for item in array.flat):
        raise InvalidProblemError(f"{parameter}: integers of more than 64 bits; scale them down")
    if array.dtype.kind not in "iuf" and array.size:
        raise InvalidTypeError(f"{parameter}: entries must be numbers, not {array.dtype}")
    return array.astype(np.float64) if array.dtype == np.float16 else array


def dimensions_of(values: Any, parameter: str) -> int:
    """Return the number of dimensions; raise if rows have different lengths."""
    try:
        return np.ndim(values)
    except ValueError as error:
        raise InvalidProblemError(f"{parameter}: rows of different lengths") from error


def integers_of(
    values: ArrayLike,
    parameter: str,
    *axes: str,
    shape: tuple[int, ...] | None = None,
    signed: bool = True,
) -> NDArray[np.int64]:
    """Return an int64 copy; raise unless it has the named axes and no axis is empty.

    Also raise if it has another `shape` than a given one, or if it is not `signed` and an entry is
    negative.
    """
    array = numbers_of(values, parameter, *axes, shape=shape, signed=signed)
    if array.dtype.kind == "f":
        place = tuple(int(index) for index in np.argwhere(_no_int64(array))[0])
        raise InvalidProblemError(
            f"{parameter}: entry {place} is {array[place]}, not an integer of 64 bits; multiply "
            "and round them first"
        )
    return array


def numbers_of(
    values: ArrayLike,
    parameter: str,
    *axes: str,
    shape: tuple[int, ...] | None = None,
    signed: bool = True,
) -> NDArray[Any]:
    """Return a checked copy: int64 if all entries are integers of 64 bits, otherwise float64.

    Raises as `integers_of` does, but takes fractions.
    """
    array = array_of(values, parameter)
    if array.ndim != len(axes) or not array.size:
        raise InvalidProblemError(
            f"{parameter}: shape {array.shape} is not ({', '.join(axes)}), at least one of each"
        )
    check_finite(array, parameter)
    if shape is not None and array.shape != shape:
        raise InvalidProblemError(
            f"{parameter}: shape {array.shape}, but ({', '.join(axes)}) is {shape}"
        )
    if not signed and (array < 0).any():
        place = tuple(int(index) for index in np.argwhere(array < 0)[0])
        raise InvalidProblemError(f"{parameter}: entry {place} is {array[place]}, negative")
    whole = array.dtype.kind == "i" or not _no_int64(array).any()
    return np.ascontiguousarray(array, np.int64 if whole else np.float64)


def _no_int64(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which entries are not integers of 64 bits."""
    return np.asarray((array != np.trunc(array)) | (array >= 2**63) | (array < -(2**63)))


def largest(*tables: NDArray[Any]) -> int:
    """Return the largest absolute value of integers as a Python int, which cannot overflow."""
    return max(max(int(table.max()), -int(table.min())) for table in tables)


def labels(
    name: object, comment: object, optimum: float | None, *, least: int = 0
) -> tuple[str, str, float | None]:
    """Return the checked name, comment and optimum; an integer optimum stays an integer."""
    return checks.text("name", name), checks.text("comment", comment), _optimum(optimum, least)


def _optimum(value: Any, least: int) -> int | float | None:
    """Return a known optimum as a Python number; raise if no solution can have this cost."""
    if value is None:
        return None
    if isinstance(value, numbers.Integral):
        return checks.integer("optimum", value, least=least, most=2**63 - 1)
    length = checks.number("optimum", value, least=least)
    if not math.isfinite(length):
        raise InvalidParameterError(f"optimum: {value!r} is not finite; leave it out if unknown")
    return length


def check_finite(values: NDArray[Any], parameter: str) -> None:
    """Raise at the first entry that is NaN or infinite."""
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        place = tuple(int(index) for index in wrong[0])
        raise InvalidProblemError(f"{parameter}: entry {place} is {values[place]}, not finite")


def points_of(values: ArrayLike) -> NDArray[np.float64]:
    """Return coordinates as a float64 copy, shape (n, 2); raise unless all are finite."""
    array = array_of(values, "coordinates")
    if array.ndim != 2 or array.shape[1] != 2 or not len(array):
        square = array.ndim == 2 and len(array) == array.shape[1] > 0
        remedy = "; for a matrix of lengths use from_matrix" if square else ""
        raise InvalidProblemError(
            f"coordinates: shape {array.shape}, but n >= 1 cities in the plane are (n, 2){remedy}"
        )
    with np.errstate(over="ignore"):
        points = np.ascontiguousarray(array, dtype=np.float64)
    check_finite(points, "coordinates")
    if array.dtype.kind in "iu" and max(int(array.max()), -int(array.min())) > 2**53:
        raise InvalidProblemError(
            "coordinates: integers beyond 2**53 do not fit float64; subtract an offset first"
        )
    return points
