"""The shortest tours of tiny instances, by enumeration."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.many.instances import Instances

SMALLEST_SEARCHED = 8  # cities; smaller instances are enumerated
BLOCK_ENTRIES = 1 << 22  # edges in memory at once


def shortest_tours(instances: Instances, chosen: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the first shortest tour of each chosen instance, shape (K, m).

    Instances have fewer than `SMALLEST_SEARCHED` cities. Rows are padded with the numbers that
    their instances lack.
    """
    sizes = instances.sizes[chosen]
    tours = np.tile(np.arange(sizes.max(), dtype=np.int32), (len(chosen), 1))
    for size in np.unique(sizes[sizes > 3]).tolist():  # up to three cities have only one tour
        (alike,) = np.nonzero(sizes == size)
        known = _all_tours(size)
        step = max(1, BLOCK_ENTRIES // known.size)
        for begin in range(0, len(alike), step):
            rows = alike[begin : begin + step]
            lengths = _lengths(instances, instances.firsts[chosen[rows]], size)
            costs = lengths[:, known, np.roll(known, -1, axis=1)].sum(axis=2)
            tours[rows, :size] = known[costs.argmin(axis=1)]
    return tours


def _all_tours(size: int) -> NDArray[np.int32]:
    """Return each tour of `size` cities once, from city 0 on in one direction."""
    rest = permutations(range(1, size))
    return np.array([(0, *tour) for tour in rest if tour[0] < tour[-1]], np.int32)


def _lengths(instances: Instances, firsts: NDArray[np.int64], size: int) -> NDArray[Any]:
    """Return the lengths between the cities of instances of equal size, shape (K, size, size)."""
    a, b = np.array(list(combinations(range(size), 2))).T
    lengths = np.zeros((len(firsts), size, size), instances.whole.cost_dtype)
    between = instances.metric.lengths(
        instances.whole.values, firsts[:, None] + a, firsts[:, None] + b
    )
    lengths[:, a, b] = lengths[:, b, a] = between
    return lengths
