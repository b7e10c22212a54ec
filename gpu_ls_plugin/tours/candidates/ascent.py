"""Minimum 1-trees, and penalties of the cities under which they are nearly tours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Cities = NDArray[Any]
    Real = NDArray[np.float64]
    Mergers = list[tuple[Real, Cities]]


@dataclass(frozen=True, eq=False)
class OneTree:
    """A minimum 1-tree: a minimum spanning tree and one more edge at a leaf, the special city.

    The leaf's second edge is its shortest that is not in the tree, so that the special city has its
    two shortest edges and the others are spanned without it, which is the definition of a 1-tree
    (Held and Karp 1970). Of all leaves, the one whose second edge is longest is special.
    """

    a: Cities  # (n - 1,), of the spanning tree's edges
    b: Cities
    weights: Real  # (n - 1,), of these edges
    special: int  # the special city
    second: int  # where its second edge leads
    second_weight: float

    @property
    def weight(self) -> float:
        """Sum of the weights of all n edges."""
        return float(self.weights.sum()) + self.second_weight

    @property
    def degrees(self) -> Cities:
        """Number of edges at each city, shape (n,): two at every city make a tour."""
        ends = np.concatenate([self.a, self.b, [self.special, self.second]])
        return np.bincount(ends, minlength=len(self.a) + 1)

    def alphas(self, a: Cities, b: Cities, weights: Real) -> Real:
        """Return how much heavier the minimum 1-tree becomes if it must contain an edge.

        That is the weight of the edge less that of the edge which it drives out: the heaviest on
        the path between its cities, or the special city's second edge (Helsgaun 2000, section 4).
        Arrays broadcast against each other.
        """
        at_special = (a == self.special) | (b == self.special)
        driven_out = np.where(at_special, self.second_weight, self._heaviest_between(a, b))
        return np.maximum(weights - driven_out, 0.0)

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

        In a round, every component takes its lightest edge and merges with what is at the other
        end: (weight of the edge taken, component of the next round), by component. These mergers
        are a tree of at most log2(n) levels, with the cities as leaves, whose heaviest edge
        between two cities is that of the given tree (King 1997).
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        # Heaviest first: where an assignment names a component more than once, the last counts.
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


FIRST_STEP = 0.3  # of how far a cluster is from the rest
DECAY = 0.88  # of the step, each time
MOMENTUM = 0.3  # weight of the degrees before


class Graph(Protocol):
    """What the ascent and `Alpha` ask of a graph."""

    n: int

    def one_tree(self, penalties: Real) -> OneTree:
        """Return the minimum 1-tree for edges of weight length + both cities' penalties."""

    def least_alpha(self, k: int, penalties: Real, tree: OneTree) -> NDArray[Any]:
        """Return k cities of least alpha of each city, by alpha, shape (n, k), int32."""


def ascend(graph: Graph, steps: int) -> tuple[Real, OneTree]:
    """Return penalties (n,) that make the minimum 1-tree heavy, and that tree.

    The weight of the minimum 1-tree less twice the sum of the penalties is a lower bound on the
    length of every tour of the graph, and the penalties with the largest bound are returned. A
    step raises the penalties of cities with more than two edges and lowers those with one (Held
    and Karp 1971), by 0.7 of what the degrees say now and 0.3 of what they said before (Helsgaun
    2000, section 4.1). It does the same with whole clusters that more or fewer than two edges
    leave: city by city, a far cluster would wait thousands of steps for its second edge. Steps
    shrink geometrically, so that a few dozen are enough.
    """
    penalties = best = np.zeros(graph.n)
    tree = best_tree = graph.one_tree(penalties)
    bound, clusters, step = tree.weight, tree.mergers, FIRST_STEP
    excess = before = tree.degrees - 2
    for _ in range(steps):
        if not excess.any():  # a tour, and so the shortest
            break
        mixed = (1.0 - MOMENTUM) * excess + MOMENTUM * before
        penalties = penalties + step * _push(clusters, mixed)
        tree, before, step = graph.one_tree(penalties), excess, DECAY * step
        excess = tree.degrees - 2
        reached = tree.weight - 2.0 * float(penalties.sum())
        if reached > bound:
            bound, best, best_tree = reached, penalties, tree
    return best, best_tree


def _push(clusters: Mergers, excess: Real) -> Real:
    """Return how far the clusters that hold a city push its penalty, summed up, shape (n,).

    Each cluster, a single city too, pushes by the weight of the edge that merged it, times the
    excess of its cities, whose sum is cut to -1 to 1. Where a tree connects the cluster, the sum
    is the number of edges that leave it, less two.
    """
    excesses = [excess]
    for _, parents in clusters[:-1]:
        inside: Real = np.bincount(parents, weights=excesses[-1]).astype(np.float64)
        excesses.append(inside)
    push = np.zeros(1)  # of the cluster of all cities
    for (weights, parents), sums in zip(reversed(clusters), reversed(excesses), strict=True):
        push = push[parents] + weights * np.clip(sums, -1.0, 1.0)
    return push
