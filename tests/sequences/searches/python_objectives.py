"""Sequence problems whose objectives are Python functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Tardiness(gls.SequenceObjective):
    """Weighted tardiness on one machine; notes the size of each call.

    Parameters
    ----------
    times, weights, due : array, shape (n,)
    last : int, optional
        Number of positions at the end, at which a violation of 1 is an item with an even number.
    """

    name = "tardiness"

    def __init__(self, times: Any, weights: Any, due: Any, last: int = 0) -> None:
        self.times, self.weights, self.due, self.last = times, weights, due, last
        self.integer = np.asarray(times).dtype.kind == "i"
        self.price = 10 if self.integer else 10.0
        self.sizes: list[int] = []

    def evaluate(self, rows: NDArray[Any]) -> Any:
        """Return costs, with the violations if there can be any."""
        self.sizes.append(len(rows))
        late = np.maximum(self.times[rows].cumsum(axis=1) - self.due[rows], 0)
        costs = (self.weights[rows] * late).sum(axis=1)
        if not self.last:
            return costs
        return costs, (rows[:, -self.last :] % 2 == 0).sum(axis=1)


def tardiness(n: int, seed: int = 1, *, real: bool = False, last: int = 0) -> gls.Sequence:
    """Return a random problem."""
    random = np.random.default_rng([n, seed])
    times, weights = random.integers(1, 20, n), random.integers(1, 10, n)
    due = random.integers(0, int(times.sum()) + 1, n)
    if real:
        times, weights, due = times / 7, weights / 3, due / 7
    return gls.Sequence(n, Tardiness(times, weights, due, last))


def some_rows(n: int, size: int, seed: int = 0) -> NDArray[np.int32]:
    """Return random rows."""
    random = np.random.default_rng(seed)
    return np.array([random.permutation(n) for _ in range(size)], np.int32)


def insertions(row: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
    """Yield the neighbours of a row in which an item moves, in the order of items and places."""
    for item in range(len(row)):
        rest = row[row != item]
        for place in range(len(row)):
            yield np.insert(rest, place, item).astype(np.int32)
