"""Asymmetric lengths as symmetric ones between twice as many nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.tours.problem.metrics import Explicit
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


class TwoNodes:
    """The two-node transformation of an asymmetric problem of integer lengths to a symmetric one.

    City i becomes two nodes, i where tours arrive and n + i where they leave, joined for nothing.
    What leads from one city to another leads from where the one is left to where the other is
    entered, and costs a ceiling in addition, which no tour exceeds; everything else costs twice
    that. So whatever costs less than n + 1 ceilings goes through the two nodes of each city one
    after the other, always the same way round: rows that stand for tours are cheaper than all
    others (Jonker and Volgenant 1983). Rows of its `tsp` cost `offset` more than the tours that
    they stand for.
    """

    def __init__(self, problem: TSP) -> None:
        n, cities = problem.n, np.arange(problem.n)
        lengths = _lengths(problem)
        ceiling = n * int(lengths.max()) + 1
        matrix = np.full((2 * n, 2 * n), 2 * ceiling, np.int64)
        matrix[n:, :n], matrix[:n, n:] = lengths + ceiling, lengths.T + ceiling
        matrix[cities, n + cities] = matrix[n + cities, cities] = 0
        np.fill_diagonal(matrix, 0)
        self.offset = n * ceiling
        self.tsp = TSP.from_matrix(matrix, name=problem.name)

    @staticmethod
    def serves(problem: TSP) -> bool:
        """Return whether costs are sums of integer lengths alone, the same for all rows."""
        return problem.integer and problem.objective.length_alone and problem.rows is None

    @staticmethod
    def fits(problem: TSP) -> bool:
        """Return whether twice the ceiling is not too large."""
        return 2 * (problem.n * int(_lengths(problem).max()) + 1) < Explicit.limit

    def rows(self, tours: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the rows that stand for tours, shape (P, 2 n)."""
        size, n = tours.shape
        return np.stack([tours, tours + n], axis=2).reshape(size, 2 * n).astype(np.int32)

    def tours(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the tours that rows stand for, shape (P, n)."""
        n = self.tsp.n // 2
        # From city 0 on, and in the direction in which it is entered before it is left.
        places = (rows == 0).argmax(axis=1)[:, None] + np.arange(2 * n)
        rows = np.take_along_axis(rows, places % (2 * n), axis=1)
        backwards = rows[:, 1] != n
        rows[backwards, 1:] = rows[backwards, :0:-1]
        return np.ascontiguousarray(rows[:, 0::2], np.int32)


def _lengths(problem: TSP) -> NDArray[np.int64]:
    """Return the lengths from all cities to all others."""
    cities = np.arange(problem.n)
    return np.asarray(problem.lengths(cities[:, None], cities[None, :]), np.int64)
