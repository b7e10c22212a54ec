"""Candidates: the k nearest cities, or all other cities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.lists import CandidateLists
from gpu_ls_plugin.tours.candidates.near_cities import compile_ahead, near_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

BLOCK_ENTRIES = 1 << 23  # maximum number of lengths in memory at a time
MATRIX_ENTRIES = 1 << 17  # maximum for a matrix, so that the lengths fit into a processor's cache
SPARE = 4  # number of neighbours fetched in addition to k and the city itself, to detect ties
MOST = 16  # if cities are tied, up to this many times the initial number of neighbours is fetched


@dataclass(frozen=True)
class Nearest(Candidates):
    """The k nearest cities of each city by exact length; ties are broken by city number.

    For metrics of the plane and of the globe, a grid or a k-d tree finds these cities; for
    matrices, blocks of rows are partitioned. No n x n array is allocated. The tie rule may fail for
    the last city of a list if more than 16 * k cities, not all at the same place, are equally far
    away.

    Parameters
    ----------
    k : int
        Number of candidates per city, at least 1; capped at n - 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        k is not a positive integer.
    """

    k: int = 10

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "k", least=1)

    def compile(self, problem: TSP) -> None:
        """Compile the program that lists cities in the plane."""
        compile_ahead(problem)

    def build(self, problem: TSP) -> CandidateLists:
        return nearest_lists(problem, min(self.k, problem.n - 1))


def nearest_lists(problem: TSP, k: int, subset: NDArray[Any] | None = None) -> CandidateLists:
    """Return the k nearest cities of each city; k is at most the number of cities minus one.

    If `subset` (m,) is given, lists contain only these cities, and row r is the list of city
    subset[r].
    """
    lists = near_lists(problem, k, subset=subset)
    return NearestCities(problem, subset).lists(k) if lists is None else lists


class NearestCities:
    """Finds the nearest cities among all cities or those of `subset`, if possible with a k-d tree.

    If many cities are at the same place, the tree contains only as many of them as a list can use;
    otherwise, the search could take quadratic time.
    """

    def __init__(self, problem: TSP, subset: NDArray[Any] | None = None) -> None:
        self.problem = problem
        self.cities: NDArray[Any] = np.arange(problem.n) if subset is None else subset
        points = problem.metric.tree_points(problem.values)
        self._points = None if points is None else points[self.cities]
        self._trees: dict[int, tuple[NDArray[Any], Any]] = {}

    def lists(self, k: int, rows: NDArray[Any] | None = None) -> CandidateLists:
        """Return the k nearest cities of the cities `cities[rows]`; by default, of all cities.

        k is at most the number of cities minus one. Row i of the result belongs to rows[i].
        """
        rows = np.arange(len(self.cities)) if rows is None else rows
        lists = CandidateLists(
            np.empty((len(rows), k), np.int32), np.empty((len(rows), k), self.problem.cost_dtype)
        )
        if k == 0:
            return lists
        matrix = self.problem.matrix
        if matrix is not None and matrix.dtype.kind == "i":
            self._fill_by_keys(lists, self.cities[rows], matrix)
            return lists
        searched, tree = self._searched(k + 1)
        unsure, count = np.arange(len(rows)), k + 1 + SPARE
        most = MOST * count
        while unsure.size and count <= most:
            count = min(count, len(searched))
            entries = BLOCK_ENTRIES if matrix is None else MATRIX_ENTRIES
            step = max(1, entries // (count if tree is not None else len(searched)))
            ties = [unsure[:0]]
            for begin in range(0, len(unsure), step):
                block = unsure[begin : begin + step]
                own = self.cities[rows[block], None]
                near = self._neighbours(rows[block], count, searched, tree)
                tied = self._fill(lists, block, own, near)
                ties.append(block[tied & (count < len(searched))])
            unsure = np.concatenate(ties)
            count *= 2
        return lists

    def _fill_by_keys(self, lists: CandidateLists, own: NDArray[Any], matrix: NDArray[Any]) -> None:
        """Fill the lists of cities `own` for an integer matrix: sort keys of length and city."""
        every, k = len(self.cities) == len(matrix), lists.degree
        step = max(1, MATRIX_ENTRIES // len(self.cities))
        for begin in range(0, len(own), step):
            rows = own[begin : begin + step]
            lengths = matrix[rows] if every else matrix[np.ix_(rows, self.cities)]
            keys = lengths.astype(np.int64) << 32
            keys |= self.cities
            keys[self.cities == rows[:, None]] = np.iinfo(np.int64).max
            best = np.sort(np.partition(keys, k - 1, axis=1)[:, :k], axis=1)
            lists.cities[begin : begin + step] = best & 0xFFFFFFFF
            lists.lengths[begin : begin + step] = best >> 32

    def _fill(
        self, lists: CandidateLists, block: NDArray[Any], own: NDArray[Any], near: NDArray[Any]
    ) -> NDArray[Any]:
        """Fill a block of lists; return which lists may break the tie rule.

        The last city of such a list is as far away as the farthest in `near`, so cities outside
        `near` may be equally far away and have smaller numbers.
        """
        far = self.problem.lengths(*np.broadcast_arrays(own, near))
        farthest = np.where(near == own, -1, far).max(axis=1)
        cities, lengths = _sorted(own, near, far, lists.degree)
        lists.cities[block], lists.lengths[block] = cities, lengths
        tied: NDArray[Any] = farthest == lengths[:, -1]
        return tied

    def _neighbours(
        self, rows: NDArray[Any], count: int, searched: NDArray[Any], tree: Any
    ) -> NDArray[Any]:
        """Return the `count` nearest of the searched cities, unsorted; the city itself is one."""
        if self._points is not None:
            order = self.problem.metric.tree_p
            from gpu_ls_plugin.backends.cpu import interrupts_held

            with interrupts_held():  # otherwise, SciPy's threads outlive an interrupted call
                _, ranks = tree.query(self._points[rows], k=count, p=order, workers=-1)
            found: NDArray[Any] = searched[ranks.reshape(len(rows), count)]
            return found
        everyone = np.broadcast_to(searched, (len(rows), len(searched)))
        if count == len(searched):
            return everyone
        own = self.cities[rows, None]
        if self.problem.matrix is None or len(searched) < self.problem.n:
            far = self.problem.lengths(*np.broadcast_arrays(own, everyone))
            # Not in place: a plugin's array may have a wrong shape.
            far = np.where(everyone == own, -1, far)
        else:
            far = self.problem.matrix[own.ravel()]
            far[everyone == own] = -1
        return searched[np.argpartition(far, count - 1, axis=1)[:, :count]]

    def _searched(self, most: int) -> tuple[NDArray[Any], Any]:
        """Return the cities to search, at most `most` per place, and their k-d tree or None."""
        if self._points is None:
            return self.cities, None
        from scipy.spatial import KDTree

        key = min(most, int(self._places.max()) + 1)
        if key not in self._trees:
            kept = self._places < key
            self._trees[key] = self.cities[kept], KDTree(self._points[kept])
        return self._trees[key]

    @cached_property
    def _places(self) -> NDArray[Any]:
        """For each city, the number of cities with smaller numbers at the same place."""
        assert self._points is not None
        order = np.lexsort((self.cities, *self._points.T))
        ordered = self._points[order]
        index = np.arange(len(order))
        new = np.ones(len(order), bool)
        new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        places = np.empty_like(index)
        places[order] = index - np.maximum.accumulate(np.where(new, index, 0))
        return places


def _sorted(
    own: NDArray[Any], near: NDArray[Any], far: NDArray[Any], k: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the first k cities of each row by (length, city) without `own`, and their lengths."""
    if far.dtype == np.int64:  # one key holds both: lengths and cities have 31 bits
        keys = np.where(near == own, np.iinfo(np.int64).max, far << 32 | near)
        keys = np.sort(keys, axis=1)[:, :k]
        return keys & 0xFFFFFFFF, keys >> 32
    # The last key is the primary one: the city itself goes to the end.
    order = np.lexsort((near, far, near == own), axis=1)[:, :k]
    return np.take_along_axis(near, order, 1), np.take_along_axis(far, order, 1)


@dataclass(frozen=True)
class All(Candidates):
    """Every other city is a candidate: the exhaustive neighbourhood."""

    def build(self, problem: TSP) -> CandidateLists:
        """List all other cities by length: n (n - 1) entries, so for small problems only."""
        return nearest_lists(problem, problem.n - 1)

    def most(self, problem: TSP) -> int:
        return problem.n - 1
