"""The k nearest cities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.candidates.base import CandidateLists, Candidates
from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.tsp import TSP

BLOCK_ENTRIES = 1 << 23  # numbers held at once while lists are made
SPARE = 4  # neighbours fetched beyond k and the city itself, for ties
MOST = 16  # times as many are fetched, doubling, where a tie goes on beyond those


@dataclass(frozen=True)
class Nearest(Candidates):
    """The k nearest cities of each city, by exact length, ties by city number.

    Planar and geographical metrics use a k-d tree, matrices a partition of blocks of rows; there
    is no n x n array. A city that is not listed is at least as far as the last that is; it may
    have a smaller number only where more than 16 k cities are that far.

    Parameters
    ----------
    k : int
        Number of candidates, at least 1; where a problem has fewer other cities, all of them.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        k is no positive integer.
    """

    k: int = 10

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, (int, np.integer)):
            raise InvalidTypeError(f"k: {self.k!r} is no integer")
        if self.k < 1:
            raise InvalidParameterError(f"k: {self.k} candidates are too few, at least 1 is needed")

    def build(self, problem: TSP) -> CandidateLists:
        """Make the lists for a problem, on the host."""
        return nearest_lists(problem, min(int(self.k), problem.n - 1))


def nearest_lists(problem: TSP, k: int, subset: NDArray[Any] | None = None) -> CandidateLists:
    """Return the k nearest cities of each city, all among `subset` where that is given.

    Parameters
    ----------
    problem : TSP
    k : int
        At most the number of cities (of the subset) less one.
    subset : ndarray, shape (m,), int, optional
        Cities among which lists are made; row r of the result belongs to subset[r].
    """
    cities = np.arange(problem.n) if subset is None else subset
    points = problem.metric.tree_points(problem)
    nearest = np.empty((len(cities), k), np.int32)
    lengths = np.empty((len(cities), k), problem.cost_dtype)
    if k == 0:
        return CandidateLists(nearest, lengths)
    tree = None
    if points is not None:
        from scipy.spatial import KDTree

        tree = KDTree(points[cities])

    def fill(rows: NDArray[Any], count: int) -> NDArray[Any]:
        """Make some rows from `count` neighbours; return the rows that may lack a tied city."""
        own = cities[rows, None]
        if tree is not None:
            _, ranks = tree.query(tree.data[rows], k=count, p=problem.metric.tree_p, workers=-1)
            near = cities[ranks.reshape(len(own), count)]
        else:
            near = _partition(problem, own, cities, count)
        far = problem.metric.lengths(problem, *np.broadcast_arrays(own, near))
        # The city itself, if it is among them, goes to the end; lexsort's last key counts first.
        order = np.lexsort((near, far, near == own), axis=1)[:, :k]
        nearest[rows] = np.take_along_axis(near, order, 1)
        lengths[rows] = np.take_along_axis(far, order, 1)
        tied = np.where(near == own, -1, far).max(axis=1) == lengths[rows, -1]
        unsure: NDArray[Any] = rows[tied & (count < len(cities))]
        return unsure

    rows, count = np.arange(len(cities)), k + 1 + SPARE
    most = MOST * count
    while rows.size and count <= most:
        count = min(count, len(cities))
        step = max(1, BLOCK_ENTRIES // (count if tree is not None else len(cities)))
        blocks = (rows[begin : begin + step] for begin in range(0, len(rows), step))
        rows = np.concatenate([fill(block, count) for block in blocks])
        count *= 2
    return CandidateLists(nearest, lengths)


def _partition(problem: TSP, own: NDArray[Any], cities: NDArray[Any], count: int) -> NDArray[Any]:
    """Return the `count` nearest of `cities` for each of `own` (rows, 1), in no order."""
    everyone = np.broadcast_to(cities, (len(own), len(cities)))
    if count == len(cities):
        return everyone
    far = problem.metric.lengths(problem, *np.broadcast_arrays(own, everyone))
    far = np.where(everyone == own, -1, far)
    near: NDArray[Any] = cities[np.argpartition(far, count - 1, axis=1)[:, :count]]
    return near
