"""Sparse graphs that contain nearly all edges of good tours, and their minimum 1-trees."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.candidates.lists import places
from gpu_ls_plugin.tours.candidates.one_trees import OneTree
from gpu_ls_plugin.tours.candidates.quadrant import quadrant_lists, quadrants

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

    Cities = NDArray[Any]
    Real = NDArray[np.float64]

EXACT_BITS = 52  # integers up to 2**52 and their successors are exact in float64
# Maximum random shift of points, relative to their extent. Without shifts, Qhull takes quadratic
# time if many points are on one circle.
JITTER = 1e-9


class SparseGraph:
    """A connected graph of n cities with at least two edges at every city.

    Edge i joins the cities a[i] < b[i]; the m edges are sorted and distinct. `quadrants` are two
    arrays (m,) of numbers 0 to 3: the quadrant of b as seen from a, and of a as seen from b; by
    default, all are 0.
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
        """Return the minimum 1-tree; an edge weighs its length plus both cities' penalties."""
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
        """Return the weights of the edges: length plus both cities' penalties."""
        return self.lengths + (penalties[self.a] + penalties[self.b])

    def least_alpha(self, k: int, penalties: Real, tree: OneTree) -> Cities:
        """Return k cities of small alpha for each city, shape (n, k), int32.

        The two cities of least alpha and the one of least alpha in each quadrant are chosen first.
        Lists are sorted by alpha, then by length, then by city. Only edges of the graph are
        considered; each city must have at least k edges.
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
        """Return the edge numbers of a minimum spanning tree; ties go to the smaller number.

        Each weight becomes an integer with the edge's number in its lower bits. So the tree is the
        same on every machine, and no weight is 0, which SciPy treats as a missing edge. Weights
        that differ by less than m / 2**51 of their range become ties.
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
        """The numbers of each city's edges, city after city, and each city's first index."""
        rows = np.concatenate([self.a, self.b])
        order = np.argsort(rows, kind="stable")
        return order % len(self.a), np.searchsorted(rows[order], np.arange(self.n + 1))


def neighbour_graph(problem: TSP, m: int) -> SparseGraph:
    """Return the graph of the Delaunay edges and the m quadrant neighbours of each city.

    Separate components are linked from left to right. For the Delaunay triangulation, cities at the
    same place count as one point; if all cities are collinear, there are no Delaunay edges.
    """
    coordinates = problem.coordinates
    assert coordinates is not None
    n = problem.n
    near = quadrant_lists(problem, m).cities.astype(np.int64)
    pairs = np.stack([np.repeat(np.arange(n), near.shape[1]), near.ravel()], axis=1)
    edges = _edges(np.concatenate([pairs, _delaunay(coordinates)]), n)
    edges = _edges(np.concatenate([edges, _links(coordinates, edges)]), n)
    a, b = edges.T
    lengths = problem.lengths(a, b)
    return SparseGraph(n, a, b, lengths, (quadrants(problem, a, b), quadrants(problem, b, a)))


def _edges(pairs: NDArray[Any], n: int) -> NDArray[Any]:
    """Return each pair once, the smaller city first, sorted."""
    keys = np.unique(pairs.min(axis=1) * n + pairs.max(axis=1))
    return np.stack([keys // n, keys % n], axis=1)


def _delaunay(coordinates: NDArray[np.float64]) -> NDArray[Any]:
    """Return the edges of the Delaunay triangulation; inner edges appear twice."""
    from scipy.spatial import Delaunay, QhullError

    points, cities = np.unique(coordinates, axis=0, return_index=True)
    points -= points.mean(axis=0)
    points += np.random.default_rng(0).uniform(-JITTER, JITTER, points.shape) * np.ptp(points)
    try:
        corners = Delaunay(points).simplices
    except (QhullError, ValueError):  # fewer than three points, or all on a line
        return np.empty((0, 2), np.int64)
    sides: NDArray[Any] = cities[corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)]
    return sides


def _links(coordinates: NDArray[np.float64], edges: NDArray[Any]) -> NDArray[Any]:
    """Return pairs of cities, consecutive in (x, y) order, that join the components of a graph."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(coordinates)
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), (n, n))
    _, components = connected_components(graph, directed=False)
    order = np.lexsort(coordinates.T[::-1])
    chain = np.stack([order[:-1], order[1:]], axis=1)
    links: NDArray[Any] = chain[components[chain[:, 0]] != components[chain[:, 1]]]
    return links
