"""How different the tours of a population are, on arrays of NumPy or of a GPU."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_gpu
from gpu_ls_plugin.core.exceptions import InvalidTourError
from gpu_ls_plugin.tours.kernels.edge_keys import edge_keys, edge_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALLEST = 3  # cities below which there is one tour only


def edge_entropy(tours: Any, *, symmetric: bool = True, customers: int | None = None) -> float:
    """Return the Shannon entropy of the edges of a population, in nats.

    It is the sum of ``-p ln p`` over all edges, where p is the share of the tours that have the
    edge: 0 where all tours are the same, ``n ln P`` where no two have an edge in common.

    Parameters
    ----------
    tours : integer array, shape (P, n)
        Permutations of 0..n-1, on any device; not changed and not checked.
    symmetric : bool
        Whether an edge is the same in both directions.
    customers : int, optional
        Of giant tours, in which all copies of the depot are the same city.

    Returns
    -------
    float

    Raises
    ------
    InvalidTourError
        `tours` is not a two-dimensional array with at least one row.

    References
    ----------
    Nagata and Kobayashi (2013), A Powerful Genetic Algorithm Using Edge Assembly Crossover for
    the Traveling Salesman Problem, INFORMS Journal on Computing 25(2), 346-363.
    """
    xp, size, n = _shape(tours)
    if n < _SMALLEST:
        return 0.0
    numbers = edge_numbers(xp, tours, symmetric=symmetric, customers=customers)
    _, counts = xp.unique(numbers.ravel(), return_counts=True)
    share = counts / size
    return abs(float((share * xp.log(share)).sum()))


def edge_distance(
    tours: Any, tour: Any, *, symmetric: bool = True, customers: int | None = None
) -> NDArray[np.int64]:
    """Return how many edges of each tour another tour does not have.

    Parameters
    ----------
    tours : integer array, shape (P, n)
        Permutations of 0..n-1, on any device; not changed and not checked.
    tour : integer array, shape (n,) or (P, n)
        Such a permutation on the same device, for example the best of a population, or one for
        each tour, for example its parent.
    symmetric : bool
        Whether an edge is the same in both directions.
    customers : int, optional
        Of giant tours, in which all copies of the depot are the same city.

    Returns
    -------
    int64 array, shape (P,)
        0 to n, on the device of `tours`.

    Raises
    ------
    InvalidTourError
        `tours` is not a two-dimensional array with at least one row, or `tour` has another shape.
    """
    xp, size, n = _shape(tours)
    if tour.shape not in ((n,), (size, n)):
        raise InvalidTourError(f"tour: shape {tour.shape} is neither ({n},) nor ({size}, {n})")
    others = tour.reshape(-1, n)
    if customers is not None:
        return _route_distance(xp, tours, others, symmetric, customers)
    rows = xp.arange(len(others))[:, xp.newaxis]
    after = xp.empty(others.shape, dtype=others.dtype)
    after[rows, others] = xp.roll(others, -1, axis=1)
    following = xp.roll(tours, -1, axis=1)
    shared = after[rows, tours] == following
    if symmetric:
        shared |= after[rows, following] == tours
    distances: NDArray[np.int64] = n - shared.sum(axis=1, dtype=xp.int64)
    return distances


def unique_tours(tours: Any, *, symmetric: bool = True, customers: int | None = None) -> int:
    """Return the number of different tours, however they are written.

    Tours are compared by their `edge_keys`.

    Parameters
    ----------
    tours : integer array, shape (P, n)
        Permutations of 0..n-1, on any device; not changed and not checked.
    symmetric : bool
        Whether a tour and its reverse are the same.
    customers : int, optional
        Of giant tours, of which those of the same routes are the same.

    Returns
    -------
    int
        1 to P.

    Raises
    ------
    InvalidTourError
        `tours` is not a two-dimensional array with at least one row.
    """
    xp, _, _ = _shape(tours)
    return len(xp.unique(edge_keys(xp, tours, symmetric=symmetric, customers=customers)))


def _route_distance(
    xp: Any, tours: Any, others: Any, symmetric: bool, customers: int
) -> NDArray[np.int64]:
    """Return `edge_distance` of giant tours, in which a city may occur many times."""
    own = edge_numbers(xp, tours, symmetric=symmetric, customers=customers)
    theirs = edge_numbers(xp, others, symmetric=symmetric, customers=customers)
    if len(others) > 1:  # each row has the edges of its own one
        places = xp.arange(len(own), dtype=xp.int64)[:, xp.newaxis] * own.shape[1] ** 2
        own, theirs = own + places, theirs + places
    shared = xp.isin(own.ravel(), theirs.ravel()).reshape(own.shape)
    distances: NDArray[np.int64] = own.shape[1] - shared.sum(axis=1, dtype=xp.int64)
    return distances


def _shape(tours: Any) -> tuple[Any, int, int]:
    """Return the array module of tours, their number and their length."""
    if getattr(tours, "ndim", 0) != 2 or not tours.size:
        raise InvalidTourError("tours: not an array of shape (P, n) with at least one row")
    return sys.modules["cupy"] if on_gpu(tours) else np, *tours.shape
