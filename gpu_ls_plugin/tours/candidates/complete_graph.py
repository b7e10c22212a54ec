"""Minimum 1-trees of a matrix of lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.candidates.ascent import OneTree
from gpu_ls_plugin.tours.candidates.rows import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Cities = NDArray[Any]
    Real = NDArray[np.float64]

BLOCK_ENTRIES = 1 << 22  # numbers held at once while the best of rows are chosen


class CompleteGraph:
    """All edges between n >= 3 cities, of symmetric lengths (n, n), whatever the diagonal."""

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.n, self.matrix = len(matrix), matrix

    def one_tree(self, penalties: Real) -> OneTree:
        """Return the minimum 1-tree for edges of weight length + both cities' penalties."""
        cities, parents, weights = self._spanning_tree(penalties)
        degrees = np.bincount(np.concatenate([cities, parents]), minlength=self.n)
        # A leaf's neighbour is its parent, but the root's is the city that was joined first.
        neighbours = np.empty(self.n, np.intp)
        neighbours[0] = cities[0]
        neighbours[cities] = parents
        leaves = np.flatnonzero(degrees == 1)
        rows = self.rows(leaves, penalties)
        rows[np.arange(len(leaves)), neighbours[leaves]] = np.inf
        seconds = rows.argmin(axis=1)
        longest = int(rows[np.arange(len(leaves)), seconds].argmax())
        special, second = int(leaves[longest]), int(seconds[longest])
        return OneTree(cities, parents, weights, special, second, float(rows[longest, second]))

    def rows(self, cities: Cities, penalties: Real) -> Real:
        """Return the weights of all edges of some cities, (len(cities), n), infinite to itself."""
        weights: Real = self.matrix[cities] + (penalties[cities, None] + penalties)
        weights[np.arange(len(cities)), cities] = np.inf
        return weights

    def least_alpha(self, k: int, penalties: Real, tree: OneTree) -> Cities:
        """Return (n, k) cities of least alpha of each city, ties by length, then by city."""
        best = np.empty((self.n, k), np.int32)
        step = max(1, BLOCK_ENTRIES // self.n)
        for begin in range(0, self.n, step):
            block = np.arange(begin, min(begin + step, self.n))
            alphas = tree.alphas(block[:, None], np.arange(self.n), self.rows(block, penalties))
            worst = np.partition(alphas, k - 1, axis=1)[:, k - 1 : k]
            rows, cities = np.nonzero(alphas <= worst)
            order = np.lexsort(
                (cities, self.matrix[block[rows], cities], alphas[rows, cities], rows)
            )
            first = order[places(rows[order], len(block)) < k]
            best[block] = cities[first].reshape(len(block), k)
        return best

    def _spanning_tree(self, penalties: Real) -> tuple[Cities, Cities, Real]:
        """Return a minimum spanning tree by Prim: cities in its order, to which joined, weights."""
        order, weights = np.empty(self.n - 1, np.intp), np.empty(self.n - 1)
        parents = np.zeros(self.n, np.intp)  # of the joined cities, the nearest to each other one
        nearest = np.full(self.n, np.inf)  # how near it is
        barred = penalties.copy()  # infinite for joined cities, which are not joined again
        city = 0
        for place in range(self.n - 1):
            barred[city] = nearest[city] = np.inf
            row = self.matrix[city] + (penalties[city] + barred)
            parents[row < nearest] = city
            np.minimum(nearest, row, out=nearest)
            city = int(nearest.argmin())
            order[place], weights[place] = city, nearest[city]
        return order, parents[order], weights
