"""Batches of rows: checks, canonical rows, distances of tours, and hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTourError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem

BLOCK = 2**18  # entries processed at a time, so that temporaries (2 MiB) stay in the cache
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio
# The shift in bits and the factor of each round of `splitmix64`.
_SHIFTS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def check_tours(
    problem: Problem, tours: ArrayLike, *, parameter: str = "tours"
) -> NDArray[np.int32]:
    """Return a batch of solutions as an array, checked by `Problem.check`."""
    return problem.check(tours, parameter=parameter)


def check_permutations(
    tours: ArrayLike,
    n: int,
    *,
    parameter: str = "tours",
    words: tuple[str, str, str] = ("tours", "cities", "city"),
) -> NDArray[np.int32]:
    """Return a batch of permutations of 0..n-1 as an array.

    Parameters
    ----------
    tours : array_like of integers, shape (P, n) or (n,)
        Integers of any type, or floats with integer values; not changed.
    n : int
        Number of cities.
    parameter : str
        Name of the tours in messages.
    words : tuple of str
        Words for rows, for entries and for one entry in messages.

    Returns
    -------
    int32 array, shape (P, n), C-contiguous
        A view if `tours` is such an array, otherwise a copy.

    Raises
    ------
    InvalidTourError
        Wrong shape, no row, or a row that is not a permutation; the message names the row.
    InvalidTypeError
        The entries are not integers.
    """
    batch = check_values(tours, n, n, parameter=parameter, words=words)
    for rows in blocks(*batch.shape):
        seen = np.zeros(batch[rows].shape, dtype=np.bool_)
        np.put_along_axis(seen, batch[rows], True, axis=1)
        complete = seen.all(axis=1)
        if not complete.all():
            row = rows.start + int(complete.argmin())
            counts = np.bincount(batch[row], minlength=n)
            raise InvalidTourError(
                f"{parameter}: row {row} is not a permutation: {words[2]} {counts.argmax()} "
                f"appears {counts.max()} times, {words[2]} {counts.argmin()} is missing"
            )
    return batch


def check_values(
    rows: ArrayLike,
    n: int,
    values: int,
    *,
    parameter: str = "rows",
    words: tuple[str, str, str] = ("rows", "values", "value"),
) -> NDArray[np.int32]:
    """Return rows of n numbers in 0..values-1 as an array.

    Parameters
    ----------
    rows : array_like of any integer type, shape (P, n) or (n,)
        Not changed.
    n, values : int
        Length of a row, and number of values that an entry may have.
    parameter, words
        As in `check_permutations`.

    Returns
    -------
    int32 array, shape (P, n), C-contiguous
        A view if `rows` is such an array, otherwise a copy.

    Raises
    ------
    InvalidTourError
        Wrong shape, no row, or an entry outside its range; the message names row and position.
    InvalidTypeError
        The entries are not integers.
    """
    array = integer_rows(rows, n, parameter, words)
    if int(array.min()) < 0 or int(array.max()) >= values:
        row, column = np.argwhere((array < 0) | (array >= values))[0]
        raise InvalidTourError(
            f"{parameter}: row {row} holds {words[2]} {array[row, column]} at position {column}, "
            f"but {words[1]} are 0..{values - 1}"
        )
    return np.ascontiguousarray(array, dtype=np.int32)


def integer_rows(
    given: ArrayLike, n: int, parameter: str, words: tuple[str, str, str]
) -> NDArray[Any]:
    """Return rows of integers as an array (P, n), P >= 1, without changing their type.

    Floats with integer values become int64. Anything else raises `InvalidTourError` or
    `InvalidTypeError`.
    """
    checks.unmasked(parameter, given, InvalidTourError)
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise InvalidTourError(f"{parameter}: rows of different lengths") from error
    except TypeError as error:
        raise InvalidTypeError(f"{parameter}: {error}") from error
    if array.ndim == 1:
        array = array[np.newaxis]
    if array.ndim != 2 or array.shape[1] != n or not array.size:
        raise InvalidTourError(
            f"{parameter}: shape {np.shape(given)}, but {words[0]} of {n} {words[1]} are (P, {n}), "
            f"P >= 1, or ({n},)"
        )
    if array.dtype.kind == "f":
        return _whole(array, parameter, words)
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"{parameter}: {words[1]} must be integers, not {array.dtype}; convert them first"
        )
    return array


def _whole(array: NDArray[Any], parameter: str, words: tuple[str, str, str]) -> NDArray[np.int64]:
    """Return floats (P, n) as integers; raise `InvalidTypeError` if one is not an integer."""
    array = array.astype(np.promote_types(array.dtype, np.float64), copy=False)
    wrong = (array != np.trunc(array)) | ~(np.abs(array) < 2.0**63)  # also for NaN
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InvalidTypeError(
            f"{parameter}: {words[1]} must be integers, but row {row} holds {array[row, column]} "
            f"at position {column}; convert them first"
        )
    return array.astype(np.int64)


def blocks(rows: int, n: int, entries: int = BLOCK) -> Iterator[slice]:
    """Yield slices of a batch of rows of n entries: up to `entries` each, but at least one row."""
    step = max(1, entries // n)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def new_edges(tour: NDArray[Any]) -> Callable[[NDArray[Any]], float]:
    """Return a function of a tour: the share of its undirected edges that are not in `tour`."""
    place, last = tour.argsort().astype(np.int32), len(tour) - 1

    def share(other: NDArray[Any]) -> float:
        at = place[other]
        apart = np.abs(at[1:] - at[:-1])
        new = np.count_nonzero((apart != 1) & (apart != last))
        closing = abs(int(at[0]) - int(at[-1])) not in (1, last)
        return (new + closing) / len(tour)

    return share


def canonical(tours: NDArray[Any], *, symmetric: bool = True) -> NDArray[np.int32]:
    """Return each tour with city 0 first and its smaller neighbour second, int32 (P, n).

    If not `symmetric`, tours are rotated, but not reversed.
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


def gather(rows: NDArray[Any], columns: NDArray[np.intp]) -> NDArray[Any]:
    """Return ``rows[r, columns[r, c]]``, shape (P, m); faster than `numpy.take_along_axis`."""
    return rows.ravel().take(columns + row_offsets(rows))


def row_offsets(rows: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of each row's first entry in the flat array, shape (P, 1)."""
    size, n = rows.shape
    return np.arange(0, size * n, n, dtype=np.intp)[:, np.newaxis]


def splitmix64(numbers: Any) -> Any:
    """Return the hash of each uint64 of an array, a bijection (Steele, Lea and Flood 2014)."""
    bits = numbers * GOLDEN
    for shift, factor in _SHIFTS:
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))
