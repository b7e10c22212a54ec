"""The travelling repairman problem: the least sum of arrival times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidProblemError, InvalidTypeError
from gpu_ls_plugin.core.problem_data import check_finite
from gpu_ls_plugin.core.rows import blocks
from gpu_ls_plugin.sequences.problem.objective import SequenceObjective
from gpu_ls_plugin.sequences.problem.sequence import MOST, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MOST_CITIES = 2**14  # the matrix of distances then takes 1 or 2 GiB


class Latency(Sequence):
    """Find the path from a start through all cities with the least sum of arrival times.

    Also known as the travelling repairman problem or the minimum latency problem. A row begins with
    the start; searches leave it there. The repairman leaves the start at time 0.

    Parameters
    ----------
    tsp : TSP
        Up to 16,384 cities; their distances are travel times, symmetric or not. Any other object
        with the same attribute `n` and method `distance` also works. All n x n distances are
        computed once and kept in memory.
    start : int
        The city with which every row begins.
    closed : bool
        Whether the return to the start counts as one more arrival.
    name : str, optional
        By default, the name of `tsp`.
    optimum : int or float, optional
        The lowest possible cost.

    Attributes
    ----------
    distances : int32, int64 or float64 array, shape (n, n), read-only
        From the row's city to the column's.
    start : int
    closed : bool

    Raises
    ------
    InvalidTypeError
        `tsp` has no distances, or another parameter is of another type.
    InvalidProblemError
        There are too many cities, distances are negative or not finite, or costs may reach 2**62.
    InvalidParameterError
        There is no such city, or another parameter is out of range.
    """

    def __init__(
        self,
        tsp: Any,
        start: int = 0,
        closed: bool = False,
        *,
        name: str | None = None,
        optimum: float | None = None,
    ) -> None:
        self.distances = _distances(tsp)
        n = len(self.distances)
        self.start = checks.integer("start", start, least=0, most=n - 1)
        self.closed = bool(checks.instance("closed", closed, kind=(bool, np.bool_), wanted="bool"))
        self.front = (self.start,)
        if n * n * max(1, self.distances.max().item()) >= MOST:
            raise InvalidProblemError("tsp: costs may reach 2**62; use larger units of distance")
        self.distances.flags.writeable = False
        called = getattr(tsp, "name", "") if name is None else name
        objective = SumOfArrivals(self.distances, self.closed)
        super().__init__(n, objective, name=called, optimum=optimum)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        closed = ", closed" if self.closed else ""
        return f"<Latency{name}: {self.n} cities, start {self.start}{closed}>"


class SumOfArrivals(SequenceObjective):
    """The sum of arrival times at all items but the first, which is left at time 0.

    Parameters
    ----------
    distances : int32, int64 or float64 array, shape (n, n)
    closed : bool
        Whether the return to the first item counts as one more arrival.
    """

    name = "latency"
    header = "sequences/problem/latency.cuh"

    def __init__(self, distances: NDArray[Any], closed: bool) -> None:
        self.distances, self.closed = distances, closed
        self.integer = distances.dtype.kind == "i"

    def functor(self) -> str:
        """Return the C++ type, with the type of distances and of costs."""
        length = {"int32": "int", "int64": "gls::int64", "float64": "double"}[
            self.distances.dtype.name
        ]
        cost = "gls::int64" if self.integer else "double"
        return f"gls::Latency<{length}, {cost}, {'true' if self.closed else 'false'}>"

    def data(self) -> Mapping[str, Any]:
        """Return the distances and the number of items."""
        return {"distances": self.distances, "n": len(self.distances)}

    def evaluate(self, rows: NDArray[Any], /) -> NDArray[Any]:
        kind = np.int64 if self.integer else np.float64
        costs = np.zeros(len(rows), kind)
        for block in blocks(*rows.shape):
            path = rows[block]
            after = np.roll(path, -1, axis=1) if self.closed else path[:, 1:]
            before = path[:, : after.shape[1]]
            arrivals = self.distances[before, after].cumsum(axis=1, dtype=kind)
            costs[block] = arrivals.sum(axis=1)
        return costs


def _distances(tsp: Any) -> NDArray[Any]:
    """Return checked distances (n, n), in the smallest type that kernels have."""
    distance: Any = getattr(tsp, "distance", None)
    if not callable(distance) or isinstance(tsp, type):
        raise InvalidTypeError(
            f"tsp: {tsp!r:.80} has no distances; pass TSP(coordinates), TSP.from_matrix(matrix) or "
            "TSP.read(path)"
        )
    n = checks.integer("tsp: n", getattr(tsp, "n", None), least=1)
    if n > MOST_CITIES:
        raise InvalidProblemError(
            f"tsp: {n} cities, but at most {MOST_CITIES}, as the matrix of distances is kept"
        )
    cities = np.arange(n)
    first = np.asarray(distance(0, cities))
    whole = first.dtype.kind in "iu"
    matrix = np.empty((n, n), np.int64 if whole else np.float64)
    for block in blocks(n, n):
        matrix[block] = distance(cities[block, None], cities)
    np.fill_diagonal(matrix, 0)
    check_finite(matrix, "tsp: distances")
    if (matrix < 0).any():
        raise InvalidProblemError("tsp: distances are negative; travel times are at least 0")
    return matrix.astype(np.int32) if whole and matrix.max() < 2**31 else matrix
