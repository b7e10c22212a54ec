"""Sums over the routes of giant tours, on the host or a device."""

from __future__ import annotations

from typing import Any


def route_totals(xp: Any, nodes: Any, copies: int, *amounts: Any) -> list[Any]:
    """Return, for each array (P, n) of `amounts`, the sum over the route of each place.

    The sums are float64 arrays (P, n). `nodes` (P, n) are giant tours with 0 for each of the
    `copies` copies of the depot, as `nodes_of` returns them; a copy belongs to the route that it
    begins. On a GPU, the order of additions varies, and so may sums of real numbers.
    """
    size = len(nodes)
    begun = (nodes == 0).cumsum(axis=1)
    # Places before the first copy of the depot belong to the last route.
    routes = begun % copies + copies * xp.arange(size)[:, None]
    totals = []
    for each in amounts:
        sums = xp.zeros(size * copies)
        xp.add.at(sums, routes.ravel(), each.ravel().astype("float64"))
        totals.append(sums[routes])
    return totals
