"""Pareto local search: the non-dominated neighbours of non-dominated tours."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import check_name, get_backend
from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.evolution.batches.rows import canonical
from gpu_ls_plugin.exceptions import UnsupportedProblemError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.evolution.fronts.front import Front
    from gpu_ls_plugin.problems.multi_objective import MultiObjectiveTSP
    from gpu_ls_plugin.problems.tsp import TSP

MOVES_AT_ONCE = {"cpu": 1 << 15, "cuda": 1 << 24}  # what temporary arrays hold
LARGEST_TABLE = 3000  # cities up to which lengths are looked up
CHOSEN = 16  # neighbours of a tour that are looked at where there are three objectives or more


@dataclass(frozen=True)
class ParetoLocalSearch:
    """Look at all 2-opt neighbours of some tours of a front, and keep the non-dominated.

    Pareto local search (Paquete, Chiarandini and Stützle 2004; Angel, Bampis and Gourvès 2004): a
    tour whose neighbours have been looked at is explored, until it leaves the front. Of two
    objectives every neighbour is compared with the front; of more, of each tour those alone that
    are best by some random weights.

    Parameters
    ----------
    tours : int
        That are explored in a call, at least 1; those that are not, are drawn at random.
    backend : str
        Where neighbours are evaluated: "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range.
    """

    tours: int = 64
    backend: str = "auto"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "tours", least=1)
        check_name(self.backend)

    def check(self, problem: MultiObjectiveTSP) -> None:
        """Raise UnsupportedProblemError where paths cannot be reversed."""
        if not problem.symmetric:
            raise UnsupportedProblemError(
                "problem: Pareto local search reverses paths, which changes the lengths of an "
                "asymmetric problem; leave it out"
            )

    def __call__(
        self,
        problem: MultiObjectiveTSP,
        front: Front,
        random_state: np.random.Generator,
        seconds: float = math.inf,
        most: int | None = None,
    ) -> Front:
        """Return a front with the neighbours of some of its tours that are not explored.

        Parameters
        ----------
        problem : MultiObjectiveTSP
            Symmetric.
        front : Front
            Not changed.
        random_state : numpy.random.Generator
        seconds : float
            After which no further tours are explored.
        most : int, optional
            Tours of the front that is returned.
        """
        self.check(problem)
        watch, left = Stopwatch.of(seconds), self.tours
        backend = get_backend(self.backend)
        with backend.current():
            neighbours = _Neighbours(backend, problem)
            while left > 0 and watch.left > 0 and not front.explored.all():
                rows = random_state.permutation(np.flatnonzero(~front.explored))
                rows = np.sort(rows[: min(left, neighbours.step)])
                left -= len(rows)
                front = front.marked(rows)
                found = neighbours.improving(front.tours[rows], front)
                front = front.joined(*found, most)
        return front


class _Neighbours:
    """All 2-opt neighbours of tours: places i < j, between which the tour is reversed."""

    def __init__(self, backend: Any, problem: MultiObjectiveTSP) -> None:
        self._problem, self._backend, self._xp = problem, backend, backend.xp
        first, last = _places(problem.n)
        self._first, self._last = self._xp.asarray(first), self._xp.asarray(last)
        self.step = max(1, MOVES_AT_ONCE[backend.name] // max(1, len(first)))

    def improving(self, tours: NDArray[np.int32], front: Front) -> tuple[Any, Any]:
        """Return neighbours of tours that may belong to a front, and their costs."""
        xp, problem = self._xp, self._problem
        before = problem.cost(tours)
        if not len(self._first):
            return tours[:0], before[:0]
        here = xp.asarray(tours)
        costs = [
            column[:, None] + change
            for column, change in zip(xp.asarray(before).T, self._changes(here), strict=True)
        ]
        if len(costs) == 2:
            rows, moves = self._below(costs, front)
        else:
            rows, moves = self._chosen(costs, front)
        found = np.stack([self._host(column[rows, moves]) for column in costs], axis=1)
        rows, moves = self._host(rows), self._host(moves)
        first, last = (self._host(part)[moves][:, None] for part in (self._first, self._last))
        place = np.arange(problem.n)[None]
        turned = np.where((place > first) & (place <= last), first + 1 + last - place, place)
        made = canonical(tours[rows[:, None], turned])
        # Real costs are those of the tours from scratch, to the last digit.
        return made, found if problem.integer or not len(made) else problem.cost(made)

    def _changes(self, tours: Any) -> Any:
        """Iterate over what each move adds to the costs in each objective, shape (B, moves)."""
        xp, first, last = self._xp, self._first, self._last
        behind = xp.roll(tours, -1, axis=1)
        a, b = tours[:, first], behind[:, first]
        c, d = tours[:, last], behind[:, last]
        for part in self._problem.objectives:
            length = self._lengths(part)
            edges = length(tours, behind)
            yield length(a, c) + length(b, d) - edges[:, first] - edges[:, last]

    def _lengths(self, part: Any) -> Any:
        """Return a function of cities: from a table where it is not too large."""
        if part.n > LARGEST_TABLE:
            xp, host = self._xp, self._host
            return lambda a, b: xp.asarray(part.lengths(host(a), host(b)))
        table = _table(self._backend, part)
        return lambda a, b: table[a, b]

    def _below(self, costs: list[Any], front: Front) -> tuple[Any, Any]:
        """Return the moves that lead below the staircase of a front of two objectives."""
        xp = self._xp
        left, low = (xp.asarray(np.ascontiguousarray(column)) for column in front.costs.T)
        step = xp.searchsorted(left, costs[0].ravel(), side="right").reshape(costs[0].shape) - 1
        better = (step < 0) | (costs[1] < low[xp.maximum(step, 0)])
        rows, moves = xp.nonzero(better)
        return rows, moves

    def _chosen(self, costs: list[Any], front: Front) -> tuple[Any, Any]:
        """Return of each tour the moves that are best by some weights, the same for all tours."""
        xp, size = self._xp, len(costs[0])
        scales = np.maximum(front.nadir - front.ideal, 1e-300)
        weights = np.random.default_rng(len(front)).exponential(size=(CHOSEN, len(costs))) / scales
        best = []
        for row in weights:
            total: Any = 0.0
            for weight, column in zip(row.tolist(), costs, strict=True):
                total = total + weight * column
            best.append(total.argmin(axis=1))
        rows = xp.arange(size).repeat(len(best))
        return rows, xp.stack(best, axis=1).ravel()

    def _host(self, array: Any) -> Any:
        return self._backend.to_numpy(array)


@cache
def _places(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places before both edges that leave, of all moves that change a tour."""
    first, last = np.triu_indices(n, 2)
    kept = ~((first == 0) & (last == n - 1))
    return first[kept], last[kept]


def _table(backend: Any, part: TSP) -> Any:
    """Return all lengths of an objective on a backend; made once."""
    kept = _tables.setdefault(part, {})
    if backend not in kept:
        cities = np.arange(part.n)
        kept[backend] = backend.xp.asarray(part.lengths(cities[:, None], cities[None]))
    return kept[backend]


_tables: weakref.WeakKeyDictionary[TSP, dict[Any, Any]] = weakref.WeakKeyDictionary()
