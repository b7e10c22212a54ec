"""Tours as rows: which are the same, and how far they are apart. Plain NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Writing(TypedDict, total=False):
    """Which ways of writing a tour stand for the same solution, as keywords of who has to know."""

    symmetric: bool  # whether a tour and its reverse do; True unless given
    customers: int  # of giant tours: all cities beyond are copies of city 0, the depot


def new_edges(tour: NDArray[Any]) -> Callable[[NDArray[Any]], float]:
    """Return a function that says which share of another tour's undirected edges this one lacks."""
    place, last = tour.argsort().astype(np.int32), len(tour) - 1

    def share(other: NDArray[Any]) -> float:
        at = place[other]
        apart = np.abs(at[1:] - at[:-1])
        new = np.count_nonzero((apart != 1) & (apart != last))
        closing = abs(int(at[0]) - int(at[-1])) not in (1, last)
        return (new + closing) / len(tour)

    return share
