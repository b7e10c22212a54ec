"""Minimum 1-trees of a graph with few edges at a city."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.candidates.ascent import OneTree
from gpu_ls_plugin.tours.candidates.rows import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Cities = NDArray[Any]
    Real = NDArray[np.float64]

EXACT_BITS = 52  # integers up to 2**52 are exact in float64, and so are their sums with 1


class SparseGraph:
    """Some of the edges between n cities: connected, at least two at every city.

    Edges (m,) are those of cities a < b, in lexicographic order, each once, with their lengths.
    `quadrants` says in which, 0 to 3, b lies as seen from a, and a from b; by default, all cities
    lie in one.
    """

    def __init__(
        self,
        n: int,
        a: Cities,
        b: Cities,
        lengths: NDArray[Any],
        quadrants: tuple[NDArray[Any], NDArray[Any]] | None = None,
    ) -> None:
        self.n, self.a, self.b, self.lengths = n, a, b, lengths
        self.quadrants = quadrants or (np.zeros_like(a), np.zeros_like(b))
        self._begins = np.searchsorted(a, np.arange(n + 1)).astype(np.int32)

    def one_tree(self, penalties: Real) -> OneTree:
        """Return the minimum 1-tree for edges of weight length + both cities' penalties."""
        weights = self.weights(penalties)
        tree = self._spanning_tree(weights)
        a, b = self.a[tree], self.b[tree]
        outside = weights.copy()
        outside[tree] = np.inf
        edges, begins = self._incident
        second = np.minimum.reduceat(outside[edges], begins[:-1])
        second[np.bincount(np.concatenate([a, b]), minlength=self.n) > 1] = -np.inf
        special = int(second.argmax())
        there = edges[begins[special] : begins[special + 1]]
        edge = there[outside[there].argmin()]
        other = int(self.a[edge] + self.b[edge]) - special
        return OneTree(a, b, weights[tree], special, other, float(weights[edge]))

    def weights(self, penalties: Real) -> Real:
        """Return the edges' weights: length + both cities' penalties."""
        weights: Real = self.lengths + (penalties[self.a] + penalties[self.b])
        return weights

    def least_alpha(self, k: int, penalties: Real, tree: OneTree) -> Cities:
        """Return k cities of least alpha of each city, by alpha, ties by length, then by city.

        The two of least alpha and the one of least alpha in each quadrant come before others of
        smaller alpha when k are chosen. Shape (n, k), int32. Only the graph's edges count; at
        least k must meet at every city.
        """
        alphas = tree.alphas(self.a, self.b, self.weights(penalties))
        rows, cities = np.concatenate([self.a, self.b]), np.concatenate([self.b, self.a])
        order = np.lexsort((cities, np.tile(self.lengths, 2), np.tile(alphas, 2), rows))
        rows, cities, quadrants = rows[order], cities[order], np.concatenate(self.quadrants)[order]
        place = places(rows, self.n)
        preferred = place < 2  # a tour has two edges at a city
        preferred[np.unique(4 * rows + quadrants, return_index=True)[1]] = True
        chosen = np.lexsort((~preferred, rows))[place < k]
        return cities[np.sort(chosen)].reshape(self.n, k).astype(np.int32)

    def _spanning_tree(self, weights: Real) -> NDArray[np.int64]:
        """Return the numbers of the edges of a minimum spanning tree, ties to the smaller number.

        Edges are told apart by their number in the lower bits of integer weights. That makes the
        tree unique on every machine and spares zeros, which SciPy takes for missing edges; what
        it costs is that weights which differ by less than m / 2**51 of their range are ties.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import minimum_spanning_tree

        bits = len(weights).bit_length()
        least, range_ = weights.min(), np.ptp(weights)
        steps = (2.0 ** (EXACT_BITS - bits) - 1.0) / range_ if range_ > 0 else 0.0
        numbered = np.floor((weights - least) * steps) * 2.0**bits
        numbered += np.arange(1, len(weights) + 1)
        graph = csr_array((numbered, self.b.astype(np.int32), self._begins), (self.n, self.n))
        chosen = minimum_spanning_tree(graph).data.astype(np.int64)
        return np.sort((chosen & ((1 << bits) - 1)) - 1)

    @cached_property
    def _incident(self) -> tuple[Cities, Cities]:
        """The numbers of each city's edges, one city after the other, and where each begins."""
        rows = np.concatenate([self.a, self.b])
        order = np.argsort(rows, kind="stable")
        return order % len(self.a), np.searchsorted(rows[order], np.arange(self.n + 1))
