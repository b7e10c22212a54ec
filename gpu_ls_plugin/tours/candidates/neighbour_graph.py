"""A sparse graph that holds nearly all edges that good tours use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.candidates.quadrant import quadrant_lists, quadrants
from gpu_ls_plugin.tours.candidates.sparse_graph import SparseGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

JITTER = 1e-9  # of the extent: many points on one circle take Qhull quadratic time


def neighbour_graph(problem: TSP, m: int) -> SparseGraph:
    """Return the Delaunay edges and the m quadrant neighbours of a problem with coordinates.

    What these leave apart is linked, from the leftmost to the rightmost city. Duplicates are one
    point of the Delaunay triangulation; collinear cities have none.
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
    """Return each pair once, the smaller city first, in lexicographic order."""
    keys = np.unique(pairs.min(axis=1) * n + pairs.max(axis=1))
    return np.stack([keys // n, keys % n], axis=1)


def _delaunay(coordinates: NDArray[np.float64]) -> NDArray[Any]:
    """Return the edges of the Delaunay triangulation, inner ones twice."""
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
    """Return pairs that join the components of a graph, cities next to each other by (x, y)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(coordinates)
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), (n, n))
    _, components = connected_components(graph, directed=False)
    order = np.lexsort(coordinates.T[::-1])
    chain = np.stack([order[:-1], order[1:]], axis=1)
    links: NDArray[Any] = chain[components[chain[:, 0]] != components[chain[:, 1]]]
    return links
