"""Rows of candidates of different lengths become lists of one degree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.candidates.lists import lists_of
from gpu_ls_plugin.tours.candidates.nearest import NearestCities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.candidates.lists import CandidateLists
    from gpu_ls_plugin.tours.problem.tsp import TSP


def equal_rows(problem: TSP, proposals: NDArray[Any]) -> CandidateLists:
    """Return lists that hold the proposed cities of each row once, in the order of proposal.

    `proposals` (n, w) may repeat cities; -1 stands for none. All rows get as many cities as the
    longest has; a row that proposes fewer is filled up with the nearest cities that it does not
    hold yet, nearest first. So every entry is a candidate, and no two of a row are the same.
    """
    rows = _without_repeats(proposals)
    sizes = (rows >= 0).sum(axis=1)
    width = int(sizes.max())
    cities = rows[:, :width].astype(np.int32)
    short = np.flatnonzero(sizes < width)
    if short.size:
        near = NearestCities(problem).lists(width, short).cities
        cities[short] = _without_repeats(np.concatenate([cities[short], near], 1))[:, :width]
    return lists_of(problem, cities)


def places(rows: NDArray[Any], n: int) -> NDArray[Any]:
    """Return the place of each entry within its row, for the sorted row numbers of all entries."""
    begins = np.searchsorted(rows, np.arange(n))
    found: NDArray[Any] = np.arange(len(rows)) - begins[rows]
    return found


def _without_repeats(rows: NDArray[Any]) -> NDArray[Any]:
    """Move the first of equal entries to the front, in their order, and set the others to -1."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, 1)
    repeated = ordered < 0
    repeated[:, 1:] |= ordered[:, 1:] == ordered[:, :-1]
    dropped = np.empty_like(repeated)
    np.put_along_axis(dropped, order, repeated, 1)
    front = np.argsort(dropped, axis=1, kind="stable")
    return np.take_along_axis(np.where(dropped, -1, rows), front, 1)
