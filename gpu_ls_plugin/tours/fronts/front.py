"""Fronts: sets of tours that do not dominate each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 22  # maximum number of comparisons in memory at once


def non_dominated(costs: NDArray[Any]) -> NDArray[np.intp]:
    """Return the indices of the rows of costs (P, M) that no other row dominates.

    A row dominates another one if it is lower in at least one column and higher in none. Of equal
    rows, only the first is returned. Indices are sorted by the first column, then by the second,
    and so on.
    """
    order = np.lexsort(costs.T[::-1])
    ordered = costs[order]
    if costs.shape[1] == 2:  # each row must be lower in column 1 than all earlier rows
        lowest = np.minimum.accumulate(ordered[:, 1])
        kept = np.ones(len(ordered), np.bool_)
        kept[1:] = ordered[1:, 1] < lowest[:-1]
        return order[kept]
    front = ordered[:0]
    chosen = []
    step = 256
    for begin in range(0, len(ordered), step):  # no row dominates an earlier one
        block = np.arange(begin, min(begin + step, len(ordered)))
        block = block[~_covered(ordered[block], front)]
        first = np.triu(_nowhere_higher(ordered[block], ordered[block]), 1)
        block = block[~np.logical_or.reduce(first, axis=0)]
        chosen.append(block)
        front = np.concatenate([front, ordered[block]])
    return order[np.concatenate(chosen)] if chosen else order


def _covered(rows: NDArray[Any], front: NDArray[Any]) -> NDArray[np.bool_]:
    """Return for each row whether some row of a front is not higher in any column."""
    covered = np.zeros(len(rows), np.bool_)
    step = max(1, BLOCK // max(1, rows.size))
    for begin in range(0, len(front), step):
        part = front[begin : begin + step]
        covered |= np.logical_or.reduce(_nowhere_higher(part, rows), axis=0)
    return covered


def _nowhere_higher(first: NDArray[Any], second: NDArray[Any]) -> Any:
    """Return whether rows (P, M) are higher in no column than rows (Q, M), shape (P, Q)."""
    return (first[:, None] <= second[None]).all(axis=2)


@dataclass(frozen=True, eq=False)
class Front:
    """Tours that differ in cost and do not dominate each other, sorted by the first objective."""

    tours: NDArray[np.int32]  # (A, n)
    costs: NDArray[Any]  # (A, M)
    explored: NDArray[np.int8]  # (A,), number of kinds of moves with which each was explored

    @classmethod
    def of(cls, tours: NDArray[np.int32], costs: NDArray[Any]) -> Front:
        """Return the front of some tours."""
        kept = non_dominated(costs)
        return cls(tours[kept], costs[kept], np.zeros(len(kept), np.int8))

    def __len__(self) -> int:
        return len(self.tours)

    def joined(
        self, tours: NDArray[np.int32], costs: NDArray[Any], most: int | None = None
    ) -> Front:
        """Return a new front from the tours of this one and `tours` (P, n) with `costs` (P, M).

        If there are more than `most` tours, those in the most crowded places are dropped; the tours
        at the ends of the front are dropped last.
        """
        all_costs = np.concatenate([self.costs, costs])
        kept = non_dominated(all_costs)
        if most is not None and len(kept) > most:
            roomiest = np.argsort(-crowding(all_costs[kept]), kind="stable")[:most]
            kept = kept[np.sort(roomiest)]
        fresh = np.zeros(len(tours), np.int8)
        return Front(
            np.concatenate([self.tours, tours])[kept],
            all_costs[kept],
            np.concatenate([self.explored, fresh])[kept],
        )

    def marked(self, rows: NDArray[np.intp]) -> Front:
        """Return the front after exploring the tours `rows` with one more kind of move."""
        explored = self.explored.copy()
        explored[rows] += 1
        return Front(self.tours, self.costs, explored)

    @property
    def ideal(self) -> NDArray[np.float64]:
        """The lowest cost in each objective, shape (M,)."""
        ideal: NDArray[np.float64] = self.costs.min(axis=0).astype(np.float64)
        return ideal

    @property
    def nadir(self) -> NDArray[np.float64]:
        """The highest cost in each objective, shape (M,)."""
        nadir: NDArray[np.float64] = self.costs.max(axis=0).astype(np.float64)
        return nadir


def crowding(costs: NDArray[Any]) -> NDArray[np.float64]:
    """Return the crowding distances of rows (Deb et al. 2002), infinite at the ends."""
    distances = np.zeros(len(costs))
    for column in costs.T.astype(np.float64):
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        gaps = np.full(len(column), np.inf)
        gaps[1:-1] = ordered[2:] - ordered[:-2]
        distances[order] += gaps / max(ordered[-1] - ordered[0], 1e-300)
    return distances
