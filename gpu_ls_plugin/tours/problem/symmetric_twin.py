"""Transforms asymmetric problems into symmetric ones with two nodes per city."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.tours.problem.metrics import Explicit
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


class SymmetricTwin:
    """A symmetric problem with two nodes for each city of an asymmetric problem.

    This is the transformation of Jonker and Volgenant (1983), for integer lengths. A tour enters
    city i at node i and leaves it at node n + i; the edge between these two nodes has length 0. The
    edge from node n + i to node j has the length from city i to city j plus a ceiling, a number
    larger than the length of any tour. All other edges are two ceilings long. So a row of `tsp`
    costs less than n + 1 ceilings only if it visits the two nodes of each city one after the other,
    always in the same order. Such rows represent the tours of the asymmetric problem; a row costs
    `offset` more than its tour.
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
        _origins[self.tsp] = problem

    @staticmethod
    def origin(problem: TSP) -> TSP | None:
        """Return the asymmetric problem of a symmetric form, or None for any other problem."""
        return _origins.get(problem)

    @staticmethod
    def serves(problem: TSP) -> bool:
        """Return whether the transformation supports a problem.

        Costs must be integer lengths, with no other objective and no weights per row.
        """
        return problem.integer and problem.objective.length_alone and problem.rows is None

    @staticmethod
    def fits(problem: TSP) -> bool:
        """Return whether two ceilings fit into an entry of the matrix."""
        return 2 * (problem.n * int(_lengths(problem).max()) + 1) < Explicit.limit

    def rows(self, tours: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the rows (P, 2 n) of `tsp` that represent tours (P, n)."""
        size, n = tours.shape
        return np.stack([tours, tours + n], axis=2).reshape(size, 2 * n).astype(np.int32)

    def tours(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the tours (P, n) that rows (P, 2 n) of `tsp` represent."""
        n = self.tsp.n // 2
        # Begin at node 0, in the direction in which node n comes next.
        places = (rows == 0).argmax(axis=1)[:, None] + np.arange(2 * n)
        rows = np.take_along_axis(rows, places % (2 * n), axis=1)
        backwards = rows[:, 1] != n
        rows[backwards, 1:] = rows[backwards, :0:-1]
        return np.ascontiguousarray(rows[:, 0::2], np.int32)


_origins: weakref.WeakKeyDictionary[TSP, TSP] = weakref.WeakKeyDictionary()


def _lengths(problem: TSP) -> NDArray[np.int64]:
    cities = np.arange(problem.n)
    return np.asarray(problem.lengths(cities[:, None], cities[None, :]), np.int64)
