"""Subgradient ascent: penalties of the cities under which minimum 1-trees are nearly tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.candidates.one_tree import Mergers, OneTree

    Real = NDArray[np.float64]

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
