"""2-opt with best improvement on a matrix of float32, as neural solvers run it on a CPU."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

MOST_MOVES = 1000  # of a tour, by default in rl4co


@cache
def _descent() -> Callable[..., None]:
    """Compile the descent of one tour; it does not hold the interpreter's lock."""
    import numba

    @numba.njit(nogil=True, fastmath=True)
    def descend(lengths: Any, tour: Any, most: int) -> None:
        n = len(tour)
        for _ in range(most):
            best, first, last = np.float32(-1e-6), 0, 0
            for i in range(1, n - 1):
                a, b = tour[i - 1], tour[i]
                for j in range(i + 1, n):
                    c, d = tour[j], tour[j + 1 if j + 1 < n else 0]
                    change = lengths[a, c] + lengths[b, d] - lengths[a, b] - lengths[c, d]
                    if change < best:
                        best, first, last = change, i, j
            if last == 0:
                return
            tour[first : last + 1] = tour[first : last + 1][::-1].copy()

    return descend


def two_opt(coordinates: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """Return improved rows (B, n); a thread for each core searches one tour after the other."""
    descend = _descent()

    def one(own: tuple[NDArray[Any], NDArray[Any]]) -> NDArray[Any]:
        points, tour = own[0], own[1].astype(np.int64)
        gaps = points[:, None] - points
        lengths = np.sqrt((gaps * gaps).sum(axis=2)).astype(np.float32)
        descend(lengths, tour, MOST_MOVES)
        return tour

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return np.array(list(pool.map(one, zip(coordinates, rows, strict=True))))
