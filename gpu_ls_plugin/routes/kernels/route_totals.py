"""What the routes of giant tours add up to, on whichever device the tours are."""

from __future__ import annotations

from typing import Any


def route_totals(xp: Any, nodes: Any, copies: int, *amounts: Any) -> list[Any]:
    """Return what the route of each place adds up to, float64 (P, n), for each kind of amounts.

    `nodes` are giant tours with all copies of the depot as city 0, as `nodes_of` returns them; a
    copy belongs to the route that it begins. Amounts are of each place, (P, n); a GPU adds real
    ones up in any order.
    """
    size = len(nodes)
    begun = (nodes == 0).cumsum(axis=1)
    # What comes before the first copy of the depot is the end of the last route.
    routes = begun % copies + copies * xp.arange(size)[:, None]
    return [
        xp.bincount(routes.ravel(), each.ravel(), minlength=size * copies)[routes]
        for each in amounts
    ]
