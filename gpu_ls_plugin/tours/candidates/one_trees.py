"""Minimum 1-trees of graphs, and penalties of cities that make them similar to tours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpu_ls_plugin.tours.candidates.lists import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Cities = NDArray[Any]
    Real = NDArray[np.float64]
    Mergers = list[tuple[Real, Cities]]

BLOCK_ENTRIES = 1 << 22  # maximum number of alphas in memory at a time
# See "Alpha values" in docs/lab/tours.md.
FIRST_STEP = 0.3  # initial step length, as a multiple of a cluster's distance from the rest
DECAY = 0.88  # factor of the step length after each step
MOMENTUM = 0.3  # weight of the degrees in the previous step


@dataclass(frozen=True, eq=False)
class OneTree:
    """A minimum 1-tree: a minimum spanning tree plus one more edge at a leaf, the special city.

    The leaf's second edge is its shortest edge that is not in the tree. So the special city has its
    two shortest edges and a tree spans all other cities, which is the definition of a 1-tree (Held
    and Karp 1970). The special city is the leaf with the longest second edge.
    """

    a: Cities  # (n - 1,): one end of each edge of the spanning tree
    b: Cities  # (n - 1,): the other end
    weights: Real  # (n - 1,): the weights of these edges
    special: int  # the special city
    second: int  # the other end of the special city's second edge
    second_weight: float

    @property
    def weight(self) -> float:
        """The sum of the weights of all n edges."""
        return float(self.weights.sum()) + self.second_weight

    @property
    def degrees(self) -> Cities:
        """The number of edges at each city, shape (n,). If all are 2, the 1-tree is a tour."""
        ends = np.concatenate([self.a, self.b, [self.special, self.second]])
        return np.bincount(ends, minlength=len(self.a) + 1)

    def alphas(self, a: Cities, b: Cities, weights: Real) -> Real:
        """Return how much heavier the minimum 1-tree becomes if it must contain an edge (a, b).

        That is the weight of the edge minus the weight of the edge that it replaces: the heaviest
        one on the tree's path from a to b or, for an edge of the special city, that city's second
        edge (Helsgaun 2000, section 4). Arrays broadcast against each other.
        """
        at_special = (a == self.special) | (b == self.special)
        replaced = np.where(at_special, self.second_weight, self._heaviest_between(a, b))
        return np.maximum(weights - replaced, 0.0)

    def _heaviest_between(self, a: Cities, b: Cities) -> Real:
        """Return the weight of the heaviest edge on the tree's path from a to b."""
        heaviest = np.full(np.broadcast_shapes(a.shape, b.shape), -np.inf)
        for weights, parents in self.mergers:
            climbed = np.maximum(weights[a], weights[b])
            np.maximum(heaviest, climbed, out=heaviest, where=a != b)
            a, b = parents[a], parents[b]
        return heaviest

    @cached_property
    def mergers(self) -> Mergers:
        """The rounds of Borůvka's algorithm on the tree.

        In a round, each component takes its lightest edge and merges with the component at the
        other end. A round is a pair of arrays, indexed by component: the weights of these edges,
        and the numbers of the merged components. The rounds form a tree of at most log2(n) levels
        with the cities as leaves. The heaviest edge on the path between two cities in this tree
        weighs as much as the heaviest edge on their path in the spanning tree (King 1997).
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        # Edges are sorted heaviest first. The assignment below may set a component's edge more than
        # once; the last edge, which is the lightest, remains.
        order = np.argsort(self.weights, kind="stable")[::-1]
        a, b, weights = self.a[order], self.b[order], self.weights[order]
        rounds, components = [], len(self.a) + 1
        while components > 1:
            lightest = np.empty(components, np.intp)
            lightest[np.stack([a, b], axis=1).ravel()] = np.repeat(np.arange(len(a)), 2)
            taken = np.ones(components), (a[lightest], b[lightest])
            merged = coo_array(taken, (components, components))
            components, parents = connected_components(merged, directed=False)
            rounds.append((weights[lightest], parents))
            a, b = parents[a], parents[b]
            apart = a != b
            a, b, weights = a[apart], b[apart], weights[apart]
        return rounds


class Graph(Protocol):
    """The interface of a graph for `ascend` and `Alpha`."""

    n: int  # number of cities

    def one_tree(self, penalties: Real) -> OneTree:
        """Return the minimum 1-tree; an edge weighs its length plus both cities' penalties."""

    def least_alpha(self, k: int, penalties: Real, tree: OneTree) -> NDArray[Any]:
        """Return for each city the k cities of least alpha, sorted by alpha, int32 (n, k)."""


class CompleteGraph:
    """All edges between n >= 3 cities with symmetric lengths (n, n); the diagonal is ignored."""

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.n, self.matrix = len(matrix), matrix

    def one_tree(self, penalties: Real) -> OneTree:
        """Return the minimum 1-tree; an edge weighs its length plus both cities' penalties."""
        cities, parents, weights = self._spanning_tree(penalties)
        degrees = np.bincount(np.concatenate([cities, parents]), minlength=self.n)
        # A leaf's only neighbour is its parent or, if it is the root, the first city that joined.
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
        """Return the weights of all edges of some cities, (len(cities), n); the diagonal is inf."""
        weights: Real = self.matrix[cities] + (penalties[cities, None] + penalties)
        weights[np.arange(len(cities)), cities] = np.inf
        return weights

    def least_alpha(self, k: int, penalties: Real, tree: OneTree) -> Cities:
        """Return the k cities of least alpha of each city, by (alpha, length, city), (n, k)."""
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
        """Return a minimum spanning tree (Prim's algorithm) as (cities, parents, edge weights)."""
        order, weights = np.empty(self.n - 1, np.intp), np.empty(self.n - 1)
        parents = np.zeros(self.n, np.intp)  # for each city not in the tree: the nearest tree city
        nearest = np.full(self.n, np.inf)  # the weight of the edge to that city
        barred = penalties.copy()  # penalties, but infinite for cities in the tree
        city = 0
        for place in range(self.n - 1):
            barred[city] = nearest[city] = np.inf
            row = self.matrix[city] + (penalties[city] + barred)
            parents[row < nearest] = city
            np.minimum(nearest, row, out=nearest)
            city = int(nearest.argmin())
            order[place], weights[place] = city, nearest[city]
        return order, parents[order], weights


def ascend(graph: Graph, steps: int) -> tuple[Real, OneTree]:
    """Return penalties (n,), found by a subgradient ascent, and their minimum 1-tree.

    The weight of the minimum 1-tree minus twice the sum of the penalties is a lower bound on the
    length of every tour of the graph. The penalties with the largest bound are returned. A step
    raises the penalties of cities with more than two edges and lowers those of cities with one
    (Held and Karp 1971). The change is proportional to 0.7 of the excess of edges over two, plus
    0.3 of the previous excess (Helsgaun 2000, section 4.1). A step also changes the penalties of
    whole clusters, according to the number of edges that leave them: if it changed only those of
    single cities, a distant cluster would get its second edge only after thousands of steps. Steps
    shrink geometrically, so a few dozen are enough.
    """
    penalties = best = np.zeros(graph.n)
    tree = best_tree = graph.one_tree(penalties)
    bound, clusters, step = tree.weight, tree.mergers, FIRST_STEP
    excess = before = tree.degrees - 2
    for _ in range(steps):
        if not excess.any():  # a tour, hence the shortest one
            break
        mixed = (1.0 - MOMENTUM) * excess + MOMENTUM * before
        penalties = penalties + step * _penalty_changes(clusters, mixed)
        tree, before, step = graph.one_tree(penalties), excess, DECAY * step
        excess = tree.degrees - 2
        reached = tree.weight - 2.0 * float(penalties.sum())
        if reached > bound:
            bound, best, best_tree = reached, penalties, tree
    return best, best_tree


def _penalty_changes(clusters: Mergers, excess: Real) -> Real:
    """Return the change of each city's penalty (n,): a sum over the clusters that contain it.

    A cluster, which may be a single city, contributes a product: the weight of the edge that merged
    it, times the sum of the excesses of its cities, clipped to -1..1. If a tree connects the
    cluster, that sum is the number of edges that leave the cluster, minus two.
    """
    excesses = [excess]
    for _, parents in clusters[:-1]:
        inside: Real = np.bincount(parents, weights=excesses[-1]).astype(np.float64)
        excesses.append(inside)
    push = np.zeros(1)  # the change for the cluster of all cities
    for (weights, parents), sums in zip(reversed(clusters), reversed(excesses), strict=True):
        push = push[parents] + weights * np.clip(sums, -1.0, 1.0)
    return push
