"""Measures of the diversity of a population, for arrays on the host or on a GPU."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_gpu, reversed_rows
from gpu_ls_plugin.core.exceptions import InvalidTourError
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem


def entropy(problem: Problem, rows: Any) -> float:
    """Return the Shannon entropy of the features of a population's rows, in nats.

    The entropy is the sum of ``-p ln p`` over all features (`Domain.features`; the features of a
    tour are its edges), where p is the share of rows with that feature. The sum is 0 if all rows
    are the same, and ``n ln P`` if no two rows have a feature in common.

    Parameters
    ----------
    problem : Problem
    rows : integer array, shape (P, n)
        Solutions, on any device; not changed and not checked.

    Returns
    -------
    float

    Raises
    ------
    InvalidTourError
        `rows` is not a two-dimensional array with at least one row.

    References
    ----------
    Nagata and Kobayashi (2013), A Powerful Genetic Algorithm Using Edge Assembly Crossover for
    the Traveling Salesman Problem, INFORMS Journal on Computing 25(2), 346-363.
    """
    xp = _module(rows)
    return entropy_of(xp, domain_of(problem).features(problem, xp, rows))


def entropy_of(xp: Any, features: Any) -> float:
    """Return the `entropy` of rows that have these features, shape (P, n)."""
    _, counts = xp.unique(features.ravel(), return_counts=True)
    share = counts / len(features)
    return abs(float((share * xp.log(share)).sum()))


def distance(problem: Problem, rows: Any, row: Any) -> NDArray[np.int64]:
    """Return how many features of each row are missing from another row.

    The features of a tour are its edges.

    Parameters
    ----------
    problem, rows
        As in `entropy`.
    row : integer array, shape (n,) or (P, n)
        One solution on the same device, such as the best of a population, or one for each row, such
        as its parent.

    Returns
    -------
    int64 array, shape (P,)
        0 to n, on the device of `rows`.

    Raises
    ------
    InvalidTourError
        `rows` is not a two-dimensional array with at least one row, or `row` has the wrong shape.
    """
    xp, (size, n) = _module(rows), rows.shape
    if row.shape not in ((n,), (size, n)):
        raise InvalidTourError(f"row: shape {row.shape} is neither ({n},) nor ({size}, {n})")
    domain = domain_of(problem)
    own = domain.features(problem, xp, rows)
    other = xp.broadcast_to(domain.features(problem, xp, row.reshape(-1, n)), own.shape)
    both = xp.sort(xp.concatenate([own, other], axis=1), axis=1)
    distances: NDArray[np.int64] = n - reversed_rows(both[:, 1:] == both[:, :-1]).sum(
        axis=1, dtype=xp.int64
    )
    return distances


def different(problem: Problem, rows: Any) -> int:
    """Return the number of distinct solutions among rows.

    Parameters
    ----------
    problem, rows
        As in `entropy`.

    Returns
    -------
    int
        1 to P.

    Raises
    ------
    InvalidTourError
        `rows` is not a two-dimensional array with at least one row.
    """
    xp = _module(rows)
    return len(xp.unique(domain_of(problem).keys(problem, xp, rows)))


def _module(rows: Any) -> Any:
    """Return NumPy or CuPy, whichever holds the rows; raise unless they are a batch (P, n)."""
    if getattr(rows, "ndim", 0) != 2 or not rows.size:
        raise InvalidTourError("rows: not an array of shape (P, n) with at least one row")
    return sys.modules["cupy"] if on_gpu(rows) else np
