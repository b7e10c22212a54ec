"""Minimum 1-trees for a matrix of lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.candidates.ascent import OneTree
from gpu_ls_plugin.tours.candidates.lists import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Cities = NDArray[Any]
    Real = NDArray[np.float64]

BLOCK_ENTRIES = 1 << 22  # alphas held in memory at a time


class CompleteGraph:
    """All edges between n >= 3 cities with symmetric lengths (n, n); the diagonal is ignored."""

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.n, self.matrix = len(matrix), matrix

    def one_tree(self, penalties: Real) -> OneTree:
        """Return the minimum 1-tree; an edge weighs its length plus both cities' penalties."""
        cities, parents, weights = self._spanning_tree(penalties)
        degrees = np.bincount(np.concatenate([cities, parents]), minlength=self.n)
        # The neighbour of a leaf is its parent; if the root is a leaf, the first city that joined.
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
        """Return the weights of all edges of some cities, (len(cities), n); infinity to itself."""
        weights: Real = self.matrix[cities] + (penalties[cities, None] + penalties)
        weights[np.arange(len(cities)), cities] = np.inf
        return weights

    def least_alpha(self, k: int, penalties: Real, tree: OneTree) -> Cities:
        """Return the k cities of least alpha of each city, (n, k); ties by length, then by city."""
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
        """Return a minimum spanning tree by Prim's algorithm: (cities, parents, edge weights)."""
        order, weights = np.empty(self.n - 1, np.intp), np.empty(self.n - 1)
        parents = np.zeros(self.n, np.intp)  # the nearest city in the tree, by city outside
        nearest = np.full(self.n, np.inf)  # the weight of the edge to it
        barred = penalties.copy()  # infinite for cities in the tree
        city = 0
        for place in range(self.n - 1):
            barred[city] = nearest[city] = np.inf
            row = self.matrix[city] + (penalties[city] + barred)
            parents[row < nearest] = city
            np.minimum(nearest, row, out=nearest)
            city = int(nearest.argmin())
            order[place], weights[place] = city, nearest[city]
        return order, parents[order], weights
