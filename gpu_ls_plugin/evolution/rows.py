"""Batches of tours as frameworks hold them: types, canonical form, keys. Plain NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.exceptions import InvalidTourError
from gpu_ls_plugin.problems.referee import check_permutations

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Tours = NDArray[np.int32]


def as_tours(rows: ArrayLike) -> NDArray[Any]:
    """Return a framework's rows as a two-dimensional integer array.

    Frameworks turn integers into floats and objects on some of their ways (warm starts, mixed
    arrays); whole numbers are turned back, anything else is left for the search to refuse by row.
    """
    array = np.asarray(rows)
    array = array.reshape(0, 0) if array.shape == (0,) else np.atleast_2d(array)
    if array.dtype.kind in "fO":
        try:
            with np.errstate(invalid="ignore"):  # NaN and infinity are left as they are
                whole = array.astype(np.int64)
        except (TypeError, ValueError, OverflowError):
            return array
        if np.array_equal(whole, array):
            array = whole
    if array.dtype.kind in "iu" and array.size and array.min() >= 0 and array.max() < 2**31:
        return np.ascontiguousarray(array, dtype=np.int32)
    return array


def checked(rows: ArrayLike, n: int, parameter: str) -> Tours:
    """Return a framework's rows as tours of n cities.

    Parameters
    ----------
    rows : array_like, shape (P, n)
        Whole numbers of any type, P >= 1; not changed.
    n : int
        Number of cities.
    parameter : str
        What messages call the rows.

    Returns
    -------
    int32 array, shape (P, n)

    Raises
    ------
    InvalidTourError, InvalidTypeError
        Wrong shape, or a row that is no permutation of 0..n-1; row and reason are named.
    """
    try:
        array = as_tours(rows)
    except ValueError as error:
        raise InvalidTourError(f"{parameter}: rows of different lengths") from error
    if array.dtype.kind not in "iu" and array.shape[1:] == (n,):
        for (row, column), value in np.ndenumerate(array.astype(object)):
            if not _is_city(value, n):
                raise InvalidTourError(
                    f"{parameter}: row {row} holds {value!r} at position {column}, but cities are "
                    f"whole numbers 0..{n - 1}"
                )
    return check_permutations(array, n, parameter=parameter)


def _is_city(value: Any, n: int) -> bool:
    try:
        return bool(0 <= value < n and value == int(value))
    except (TypeError, ValueError):
        return False


def gather(rows: NDArray[Any], columns: NDArray[np.intp]) -> NDArray[Any]:
    """Return ``rows[r, columns[r, c]]``, shape (P, m): ten times faster than `take_along_axis`."""
    return rows.ravel().take(columns + row_offsets(rows))


def row_offsets(rows: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each row of (P, n) begins in the flat array, shape (P, 1)."""
    size, n = rows.shape
    return np.arange(0, size * n, n, dtype=np.intp)[:, np.newaxis]


def canonical(tours: NDArray[Any], *, symmetric: bool = True) -> Tours:
    """Return the one way of writing each tour: city 0 first, its smaller neighbour second.

    Parameters
    ----------
    tours : integer array, shape (P, n)
        Permutations; not changed.
    symmetric : bool
        Whether a tour and its reverse are the same; without it, rows are only rotated.

    Returns
    -------
    int32 array, shape (P, n), a new one
    """
    written = tours.astype(np.int32)  # always a copy
    n = written.shape[1]
    if not written.size:
        return written
    elsewhere = np.flatnonzero(written[:, 0])
    if elsewhere.size:
        rows = written[elsewhere]
        start = (rows == 0).argmax(axis=1)[:, np.newaxis]
        written[elsewhere] = gather(rows, (start + np.arange(n)) % n)
    if symmetric and n > 2:
        backward = np.flatnonzero(written[:, 1] > written[:, -1])
        written[backward, 1:] = written[backward, :0:-1]
    return written


def keys(tours: Tours) -> list[bytes]:
    """Return one hashable key per row; equal rows, and only these, have equal keys."""
    return [row.tobytes() for row in tours]


def unknown(tours: Tours, known: set[bytes]) -> NDArray[np.bool_]:
    """Tell which rows are neither in `known` nor equal to a row before them."""
    seen = set(known)
    fresh = np.zeros(len(tours), dtype=np.bool_)
    for row, key in enumerate(keys(tours)):
        fresh[row] = key not in seen
        seen.add(key)
    return fresh
