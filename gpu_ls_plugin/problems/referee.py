"""Batches of tours: validity, and cost from scratch. This is the referee of every search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.exceptions import InvalidTourError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.problems.metrics import Lengths
    from gpu_ls_plugin.problems.tsp import TSP

BLOCK = 2**18  # cities handled at once: temporaries of 2 MiB stay in the cache

device_costs: Callable[[TSP, Any], Lengths] | None = None
"""Costs of tours that lie on a GPU; the backends, which lie above, hang themselves in here."""


def check_tours(problem: TSP, tours: ArrayLike, *, parameter: str = "tours") -> NDArray[np.int32]:
    """Return a batch of tours of the problem as an array, or say which row is none.

    Parameters
    ----------
    problem : TSP
        Gives the number of cities n.
    tours : array_like of any integer type, shape (P, n) or (n,)
        Zero-based permutations; not changed.
    parameter : str
        What messages call the tours.

    Returns
    -------
    int32 array, shape (P, n), C-contiguous
        A view where `tours` is such an array already, else a copy.

    Raises
    ------
    InvalidTourError
        Wrong shape, no row, or a row that is no permutation; the row and the reason are named.
    InvalidTypeError
        The entries are no integers.
    """
    return check_permutations(tours, problem.n, parameter=parameter)


def check_permutations(tours: ArrayLike, n: int, *, parameter: str = "tours") -> NDArray[np.int32]:
    """Return a batch of permutations of 0..n-1 as `check_tours` does, without a problem."""
    array = _integer_rows(tours, n, parameter)
    if int(array.min()) < 0 or int(array.max()) >= n:
        row, column = np.argwhere((array < 0) | (array >= n))[0]
        raise InvalidTourError(
            f"{parameter}: row {row} holds city {array[row, column]} at position {column}, "
            f"but cities are 0..{n - 1}"
        )
    batch = np.ascontiguousarray(array, dtype=np.int32)
    for rows in _blocks(*batch.shape):
        seen = np.zeros(batch[rows].shape, dtype=np.bool_)
        np.put_along_axis(seen, batch[rows], True, axis=1)
        complete = seen.all(axis=1)
        if not complete.all():
            row = rows.start + int(complete.argmin())
            counts = np.bincount(batch[row], minlength=n)
            raise InvalidTourError(
                f"{parameter}: row {row} is no permutation: city {counts.argmax()} appears "
                f"{counts.max()} times, city {counts.argmin()} is missing"
            )
    return batch


def tour_costs(problem: TSP, tours: Any) -> Lengths:
    """Return the exact length of every tour, computed from scratch; the closing edge counts.

    Parameters
    ----------
    problem : TSP
        Its metric defines the lengths.
    tours : array_like of any integer type, shape (P, n) or (n,)
        Zero-based permutations, checked; not changed. CuPy arrays stay on their device.

    Returns
    -------
    array, shape (P,), int64 for integer metrics, else float64
        CuPy for CuPy input, else NumPy. A problem of one city has tours of length 0.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        As `check_tours`.
    """
    if device_costs is not None and hasattr(tours, "__cuda_array_interface__"):
        return device_costs(problem, tours)
    batch = check_tours(problem, tours)
    costs = np.zeros(len(batch), dtype=problem.cost_dtype)
    if problem.n > 1:
        for rows in _blocks(*batch.shape):
            start = batch[rows]
            edges = problem.metric.lengths(problem, start, np.roll(start, -1, axis=1))
            costs[rows] = edges.sum(axis=1)
    if not problem.objective.length_alone:
        costs += problem.objective.costs(problem, batch)
    return costs


def _integer_rows(tours: ArrayLike, n: int, parameter: str) -> NDArray[Any]:
    """Return the tours as an integer array (P, n), P >= 1, of whatever integer type they have."""
    try:
        array = np.asarray(tours)
    except ValueError as error:
        raise InvalidTourError(f"{parameter}: rows of different lengths") from error
    except TypeError as error:
        raise InvalidTypeError(f"{parameter}: {error}") from error
    if array.ndim == 1:
        array = array[np.newaxis]
    if array.ndim != 2 or array.shape[1] != n or not array.size:
        raise InvalidTourError(
            f"{parameter}: shape {np.shape(tours)}, but tours of {n} cities are (P, {n}), P >= 1, "
            f"or ({n},)"
        )
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"{parameter}: cities must be integers, not {array.dtype}; convert them first"
        )
    return array


def _blocks(rows: int, n: int) -> Iterator[slice]:
    """Cut the rows of a batch into slices of about BLOCK cities, at least one row each."""
    step = max(1, BLOCK // n)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))
