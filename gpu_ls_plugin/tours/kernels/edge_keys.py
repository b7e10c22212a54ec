"""Numbers of edges, and keys of tours that do not depend on how a tour is written."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_ls_plugin.core.splitmix import splitmix64


def edge_keys(xp: Any, tours: Any, *, symmetric: bool = True, customers: int | None = None) -> Any:
    """Return a 64-bit key, uint64 (P,), for each tour, a sum over its edges.

    Each city has a random number, and an edge the product of its cities' numbers, so that neither
    rotating a tour nor, where lengths are symmetric, reversing it changes its key. Different tours
    have different keys but for a probability of about 2**-57 a pair. Keys of giant tours, with so
    many customers, are those of their routes.
    """
    n = tours.shape[1]
    heads = xp.asarray(_numbers(0, n))
    tails = heads if symmetric else xp.asarray(_numbers(n, n))
    nodes = tours if customers is None else nodes_of(xp, tours, customers)
    left = heads[nodes]
    right = xp.roll(left if symmetric else tails[nodes], -1, axis=1)
    left *= right
    return left.sum(axis=1, dtype=xp.uint64)


def edge_numbers(
    xp: Any, tours: Any, *, symmetric: bool = True, customers: int | None = None
) -> Any:
    """Return a number for the edge from each city to the next, int64 (P, n).

    Numbers are 0 to n * n - 1, equal for equal edges and only for these, in both directions if
    these are the same. Giant tours, in which all copies of the depot are the same city, have each
    number once: the second one of two equal edges, of a route to one customer, has another one than
    the first, and so have all empty routes.
    """
    if customers is not None:
        return _route_edges(
            xp, nodes_of(xp, tours, customers).astype(xp.int64), symmetric, customers
        )
    ones = tours.astype(xp.int64)
    others = xp.roll(ones, -1, axis=1)
    if symmetric:
        ones, others = xp.minimum(ones, others), xp.maximum(ones, others)
    return ones * tours.shape[1] + others


def nodes_of(xp: Any, tours: Any, customers: int) -> Any:
    """Return giant tours with all copies of the depot as city 0."""
    return xp.where(tours > customers, 0, tours)


def _route_edges(xp: Any, nodes: Any, symmetric: bool, customers: int) -> Any:
    """Return the numbers of edges between nodes; loops stand for what would occur twice."""
    n, after = nodes.shape[1], xp.roll(nodes, -1, axis=1)
    numbers = nodes * n + after
    if symmetric:
        numbers = xp.minimum(nodes, after) * n + xp.maximum(nodes, after)
        alone = (nodes > 0) & (after == 0) & (xp.roll(nodes, 1, axis=1) == 0)
        numbers = xp.where(alone, nodes * (n + 1), numbers)
    empty = (nodes == 0) & (after == 0)
    return xp.where(empty, (customers + xp.cumsum(empty, axis=1)) * (n + 1), numbers)


def _numbers(first: int, count: int) -> Any:
    """Return numbers `first` onwards of the splitmix64 sequence."""
    return splitmix64(np.arange(first + 1, first + count + 1, dtype=np.uint64))
