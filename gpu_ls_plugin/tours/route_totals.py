"""What the routes of giant tours add up to, on whichever device the tours are."""

from __future__ import annotations

from typing import Any


def route_totals(xp: Any, nodes: Any, copies: int, *amounts: Any) -> list[Any]:
    """Return what the route of each place adds up to.

    Parameters
    ----------
    xp : module
        NumPy or CuPy, whichever the tours belong to.
    nodes : integer array, shape (P, n)
        Giant tours with all copies of the depot as city 0, as `nodes_of` returns them; a copy
        belongs to the route that it begins.
    copies : int
        Of the depot, in each tour.
    *amounts : array, shape (P, n)
        Of each place. A GPU adds real ones up in any order.

    Returns
    -------
    list of array of `xp`, float64, shape (P, n)
        One for each kind of amounts.
    """
    size = len(nodes)
    begun = (nodes == 0).cumsum(axis=1)
    # What comes before the first copy of the depot is the end of the last route.
    routes = begun % copies + copies * xp.arange(size)[:, None]
    return [
        xp.bincount(routes.ravel(), each.ravel(), minlength=size * copies)[routes]
        for each in amounts
    ]
