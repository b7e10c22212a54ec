"""Shortest paths through all cities, searched as tours with one more city."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
)
from gpu_ls_plugin.tours.problem.metrics import Explicit, ExplicitReal
from gpu_ls_plugin.tours.problem.objective import require_length
from gpu_ls_plugin.tours.problem.tsp import TSP, tour_problem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.metrics import Lengths


class OpenPath:
    """A problem of paths that visit every city once and do not return; ends may be fixed.

    A dummy city, number n, turns a path into a tour: it precedes the first city of the path and
    follows the last one. Its edges to cities that may be ends have length 0. Its other edges are so
    long that optimal tours avoid them. If lengths are symmetric and only one end is given, the
    dummy's edges to all other cities are long: a good tour then contains exactly one of them, so
    its cost exceeds that of its path by the length of this edge.

    Parameters
    ----------
    problem : TSP
        A symmetric or asymmetric problem.
    first, last : int, optional
        The cities at which paths begin and end; by default, any.

    Attributes
    ----------
    problem : TSP
        As given.
    tsp : TSP
        The problem to search: a matrix of n + 1 cities, which limits n to about ten thousand.
    first, last : int or None
        As given.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        An end is not a city, or both ends are the same city although there are others.
    InvalidProblemError
        Three times the longest length is too large for a matrix.
    UnsupportedProblemError
        The problem has an objective besides its lengths.

    Examples
    --------
    >>> import gpu_ls_plugin as gls
    >>> problem = gls.TSP([(0, 0), (9, 0), (4, 1), (2, 0), (7, 2)])
    >>> way = gls.OpenPath(problem, first=2)
    >>> starts = gls.random_tours(way.tsp, 10, seed=1)
    >>> found = gls.LocalSearch(candidates=gls.Nearest(5))(way.tsp, starts)
    >>> way.path(found.best_tour).tolist(), way.cost(way.path(found.best_tour)).tolist()
    ([2, 3, 0, 4, 1], [14])
    """

    def __init__(self, problem: Problem, first: int | None = None, last: int | None = None) -> None:
        self.problem = problem = tour_problem(problem)
        require_length(problem.objective, "OpenPath()")
        self.first, self.last = self._end("first", first), self._end("last", last)
        if problem.n > 1 and first is not None and self.first == self.last:
            raise InvalidParameterError(f"last: {last} is also the first city; a path has two ends")
        self.tsp = TSP.from_matrix(self._matrix(), name=problem.name, comment=problem.comment)

    def __repr__(self) -> str:
        return f"OpenPath({self.problem!r}, first={self.first}, last={self.last})"

    def path(self, tours: ArrayLike) -> NDArray[np.int32]:
        """Return the paths of tours of `tsp`.

        Parameters
        ----------
        tours : array_like, shape (P, n + 1) or (n + 1,), integer
            Not changed.

        Returns
        -------
        ndarray, shape (P, n) or (n,), int32
            Cities from the first to the last.

        Raises
        ------
        InvalidTourError
            A row is not a permutation, or its path does not have the given ends, which can happen
            after a short search. The message names the row.
        InvalidTypeError
            The entries are not integers.
        """
        batch = self.tsp.check(tours)
        dummies = (batch == self.problem.n).argmax(axis=1)
        places = (dummies[:, None] + np.arange(1, self.problem.n + 1)) % (self.problem.n + 1)
        paths = np.take_along_axis(batch, places, axis=1)
        if self.problem.symmetric:
            turned = ~self._has_ends(paths) & self._has_ends(paths[:, ::-1])
            paths[turned] = paths[turned, ::-1]
        right = self._has_ends(paths)
        if not right.all():
            row = int(right.argmin())
            raise InvalidTourError(
                f"tours: row {row} is a path from city {paths[row, 0]} to city {paths[row, -1]}, "
                f"not from {_name(self.first)} to {_name(self.last)}; keep searching"
            )
        return paths if np.ndim(tours) > 1 else paths[0]

    def cost(self, paths: ArrayLike) -> Lengths:
        """Return the exact length of every path in `problem`.

        Parameters
        ----------
        paths : array_like, shape (P, n) or (n,), integer
            Permutations of the problem's cities with any ends; not changed.

        Returns
        -------
        ndarray, shape (P,), int64 for integer metrics, else float64

        Raises
        ------
        InvalidTourError, InvalidTypeError
            A row is not a permutation of the cities.
        """
        batch = self.problem.check(paths, parameter="paths")
        lengths = self.problem.distance(batch[:, :-1], batch[:, 1:])
        costs: Lengths = lengths.sum(axis=1, dtype=self.problem.cost_dtype)
        return costs

    def _end(self, name: str, city: int | None) -> int | None:
        if city is None:
            return None
        return checks.integer(name, city, least=0, most=self.problem.n - 1)

    def _matrix(self) -> NDArray[Any]:
        """Return the lengths (n + 1, n + 1); row and column n belong to the dummy city."""
        n, cities = self.problem.n, np.arange(self.problem.n)
        matrix = np.zeros((n + 1, n + 1), self.problem.cost_dtype)
        matrix[:n, :n] = self.problem.distance(cities[:, None], cities)
        np.fill_diagonal(matrix, 0)
        longest = matrix.max().item()
        barred = 3 * longest + 1
        if barred >= (Explicit if self.problem.integer else ExplicitReal).limit:
            raise InvalidProblemError(
                f"problem: its longest length is {longest:.10g}, and three times as much does not "
                "fit into a matrix; scale the lengths down"
            )
        after, before = _given(self.first), _given(self.last)
        if self.problem.symmetric:  # a search may return a tour in either direction
            after = before = after + before
        matrix[n, :n] = np.where(np.isin(cities, after), 0, barred) if after else 0
        matrix[:n, n] = np.where(np.isin(cities, before), 0, barred) if before else 0
        return matrix

    def _has_ends(self, paths: NDArray[Any]) -> NDArray[np.bool_]:
        right = np.ones(len(paths), np.bool_)
        for end, city in ((0, self.first), (-1, self.last)):
            if city is not None:
                right &= paths[:, end] == city
        return right


def _given(city: int | None) -> list[int]:
    return [] if city is None else [city]


def _name(city: int | None) -> str:
    return "anywhere" if city is None else f"city {city}"
