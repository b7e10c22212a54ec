"""Minimum 1-trees by trying edges in order of weight, for a few cities."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Edge = tuple[int, int]


def spanning_tree_weight(w: np.ndarray, cities: list[int], forced: list[Edge]) -> float:
    """Weight of the lightest tree of some cities that holds the forced edges: Kruskal."""
    component = {city: city for city in cities}
    weight = 0.0
    others = sorted(combinations(cities, 2), key=lambda edge: w[edge])
    for a, b in [*forced, *others]:
        if component[a] != component[b]:
            weight += w[a, b]
            old, new = component[a], component[b]
            component = {city: new if c == old else c for city, c in component.items()}
    return weight


def one_tree_weight(w: np.ndarray, special: int, forced: Edge | None = None) -> float:
    """Weight of the lightest 1-tree with a special city that holds an edge."""
    others = [city for city in range(len(w)) if city != special]
    edges = sorted(others, key=lambda city: w[special, city])
    inner = [] if forced is None or special in forced else [forced]
    if forced is not None and special in forced:
        first = sum(forced) - special
        edges = [first, *(city for city in edges if city != first)]
    return spanning_tree_weight(w, others, inner) + w[special, edges[0]] + w[special, edges[1]]


def alpha(w: np.ndarray, special: int, edge: Edge) -> float:
    """By how much the lightest 1-tree grows if it must hold an edge."""
    return one_tree_weight(w, special, edge) - one_tree_weight(w, special)
