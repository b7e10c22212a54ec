"""Permutations as cycles: canonical rows, in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
