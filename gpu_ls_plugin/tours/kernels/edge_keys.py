"""Numbers of edges, and keys of tours that ignore the first city and the direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_ls_plugin.core.rows import splitmix64


def edge_keys(xp: Any, tours: Any, *, symmetric: bool = True, customers: int | None = None) -> Any:
    """Return a 64-bit key for each tour, uint64 (P,).

    Each city has a random number. A key is the sum, over all edges, of the products of the numbers
    of both cities. So a rotation of a tour does not change its key, nor does a reversal if lengths
    are symmetric. Two distinct tours have equal keys with a probability of about 2**-57.
    If the number of `customers` is given, tours are giant tours: all copies of the depot count as
    one city, so the key depends only on the routes.
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

    Numbers are 0 to n * n - 1, and equal only for equal edges. If lengths are symmetric, the
    direction of an edge does not matter. If the number of `customers` is given, tours are giant
    tours, and all copies of the depot count as one city. Even so, no number occurs twice in a
    giant tour: the second edge of a route with one customer gets another number, and so does each
    empty route.
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
    """Return giant tours with all copies of the depot replaced by city 0."""
    return xp.where(tours > customers, 0, tours)


def _route_edges(xp: Any, nodes: Any, symmetric: bool, customers: int) -> Any:
    """Return numbers of edges; an edge that would occur twice gets the number of a loop."""
    n, after = nodes.shape[1], xp.roll(nodes, -1, axis=1)
    numbers = nodes * n + after
    if symmetric:
        numbers = xp.minimum(nodes, after) * n + xp.maximum(nodes, after)
        alone = (nodes > 0) & (after == 0) & (xp.roll(nodes, 1, axis=1) == 0)
        numbers = xp.where(alone, nodes * (n + 1), numbers)
    empty = (nodes == 0) & (after == 0)
    return xp.where(empty, (customers + xp.cumsum(empty, axis=1)) * (n + 1), numbers)


def _numbers(first: int, count: int) -> Any:
    """Return `count` numbers of the splitmix64 sequence, from number `first` on."""
    return splitmix64(np.arange(first + 1, first + count + 1, dtype=np.uint64))
