"""Minimum 1-trees by Kruskal's algorithm, for a few cities."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Edge = tuple[int, int]


def spanning_tree_weight(w: np.ndarray, cities: list[int], forced: list[Edge]) -> float:
    """Return the weight of the lightest tree of some cities with the forced edges."""
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
    """Return the weight of the lightest 1-tree with a special city and a forced edge."""
    others = [city for city in range(len(w)) if city != special]
    edges = sorted(others, key=lambda city: w[special, city])
    inner = [] if forced is None or special in forced else [forced]
    if forced is not None and special in forced:
        first = sum(forced) - special
        edges = [first, *(city for city in edges if city != first)]
    return spanning_tree_weight(w, others, inner) + w[special, edges[0]] + w[special, edges[1]]


def alpha(w: np.ndarray, special: int, edge: Edge) -> float:
    """Return the increase of the lightest 1-tree's weight if an edge is forced."""
    return one_tree_weight(w, special, edge) - one_tree_weight(w, special)
