"""Pareto local search: explores the neighbours of the tours of a front."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import check_name, get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.fronts.path_moves import kinds, places_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.runs.stretch import Leg
    from gpu_ls_plugin.tours.fronts.front import Front
    from gpu_ls_plugin.tours.fronts.path_moves import PathMoves
    from gpu_ls_plugin.tours.problem.multi_objective import MultiObjectiveTSP
    from gpu_ls_plugin.tours.problem.tsp import TSP

MOVES_AT_ONCE = {"cpu": 1 << 15, "cuda": 1 << 24}  # maximum number of moves in temporary arrays
LARGEST_TABLE = 3000  # cities; for larger problems, lengths are computed, not read from a table
LONGEST = 16  # maximum number of cities of a path that Or-opt moves
CHOSEN = 16  # with three or more objectives, number of neighbours kept per tour


@dataclass(frozen=True)
class ParetoLocalSearch:
    """Explore the neighbours of some tours of a front and keep those that are not dominated.

    Pareto local search (Paquete, Chiarandini and Stützle 2004; Angel, Bampis and Gourvès 2004):
    each tour is explored once with each kind of move, as long as it stays in the front. First, all
    tours are explored with 2-opt, then with Or-opt moves of one city, then of two, and so on. With
    two objectives, each neighbour is compared with the front. With more objectives, only the
    neighbours of a tour that are best under some random weights are compared.

    Parameters
    ----------
    tours : int
        Maximum number of tours to explore per call, at least 1; they are drawn at random.
    backend : str
        Backend that evaluates neighbours: "auto", "cpu" or "cuda".
    longest : int
        Maximum number of cities of a path that Or-opt moves, 0 to 16; with 0, only 2-opt is used.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of the wrong type.
    """

    tours: int = 256
    backend: str = "auto"
    longest: int = 1

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "tours", least=1)
        checks.fields(self, checks.integer, "longest", least=0, most=LONGEST)
        check_name(self.backend)

    def check(self, problem: MultiObjectiveTSP) -> None:
        """Raise UnsupportedProblemError if the problem is asymmetric."""
        if not problem.symmetric:
            raise UnsupportedProblemError(
                "problem: Pareto local search reverses paths, which changes the lengths of an "
                "asymmetric problem; pass pareto=None"
            )

    def __call__(
        self,
        problem: MultiObjectiveTSP,
        front: Front,
        random_state: np.random.Generator,
        seconds: float = math.inf,
        most: int | None = None,
    ) -> Front:
        """Return the front after exploring some of its unexplored tours.

        Parameters
        ----------
        problem : MultiObjectiveTSP
            Must be symmetric.
        front : Front
            Not changed.
        random_state : numpy.random.Generator
        seconds : float
            Time limit: no tour is explored after this time.
        most : int, optional
            Maximum number of tours in the returned front. None: no limit.
        """
        self.check(problem)
        backend = get_backend(self.backend)
        with backend.current():
            neighbours = _Neighbours(backend, problem, self.longest)
            under_way = _Exploration(self, neighbours, front, random_state, most)
            if drive(under_way, Stretch(seconds, self.tours)) == "interrupt":
                raise KeyboardInterrupt
        return under_way.front


class _Exploration:
    """The exploration of a front, a few tours at a time."""

    generations = 0

    def __init__(
        self,
        search: ParetoLocalSearch,
        neighbours: _Neighbours,
        front: Front,
        random_state: np.random.Generator,
        most: int | None,
    ) -> None:
        self.front, self.done, self._longest = front, 0, search.longest
        self._neighbours, self._random, self._most = neighbours, random_state, most

    def over(self, leg: Leg) -> str | None:
        """Return why the exploration ends; None if it continues."""
        if self.done >= leg.until:
            return "kicks"
        return "optimum" if self.front.explored.min() > self._longest else None

    def launch(self, leg: Leg) -> None:
        """Explore some of the least explored tours."""
        level = self.front.explored.min()
        rows = self._random.permutation(np.flatnonzero(self.front.explored == level))
        rows = np.sort(rows[: min(leg.until - self.done, self._neighbours.step)])
        self.done += len(rows)
        front = self.front.marked(rows)
        found = self._neighbours.improving(front.tours[rows], front, int(level))
        self.front = front.joined(*found, self._most)


class _Neighbours:
    """Computes the neighbours of tours under all kinds of moves."""

    def __init__(self, backend: Any, problem: MultiObjectiveTSP, longest: int) -> None:
        self._problem, self._backend, self._xp = problem, backend, backend.xp
        self._levels = [
            [(kind, places_of(kind, problem.n)) for kind in kinds(cities)]
            for cities in range(longest + 1)
        ]
        most = max(len(first) for level in self._levels for _, (first, _) in level)
        self.step = max(1, MOVES_AT_ONCE[backend.name] // max(1, most))

    def improving(self, tours: NDArray[np.int32], front: Front, level: int) -> tuple[Any, Any]:
        """Return neighbours of tours that may enter a front, and their costs."""
        before = self._problem.cost(tours)
        here, now = self._xp.asarray(tours), self._xp.asarray(before)
        found = [
            self._found(kind, places, tours, here, now, front)
            for kind, places in self._levels[level]
            if len(places[0])
        ]
        if not found:
            return tours[:0], before[:0]
        made, costs = (np.concatenate(part) for part in zip(*found, strict=True))
        made = canonical(made)
        # Real costs are recomputed, so that they are exact.
        exact = self._problem.integer or not len(made)
        return made, costs if exact else self._problem.cost(made)

    def _found(
        self, kind: PathMoves, places: Any, tours: Any, here: Any, before: Any, front: Front
    ) -> tuple[Any, Any]:
        """Return neighbours reached by moves of one kind, and their costs."""
        first, last = (self._xp.asarray(part) for part in places)
        costs = [
            column[:, None] + kind.change(here, self._lengths(part), first, last)
            for column, part in zip(before.T, self._problem.objectives, strict=True)
        ]
        choose = self._undominated if len(costs) == 2 else self._best_by_weights
        rows, moves = choose(costs, front)
        found = np.stack([self._host(column[rows, moves]) for column in costs], axis=1)
        rows, moves = self._host(rows), self._host(moves)
        sources = kind.sources(self._problem.n, *(part[moves] for part in places))
        return tours[rows[:, None], sources], found

    def _lengths(self, part: Any) -> Any:
        """Return a function that computes lengths, or reads them from a table if n is small."""
        if part.n > LARGEST_TABLE:
            xp, host = self._xp, self._host
            return lambda a, b: xp.asarray(part.lengths(host(a), host(b)))
        table = _table(self._backend, part)
        return lambda a, b: table[a, b]

    def _undominated(self, costs: list[Any], front: Front) -> tuple[Any, Any]:
        """For two objectives, return the moves to tours that no tour of the front dominates."""
        xp = self._xp
        left, low = (xp.asarray(np.ascontiguousarray(column)) for column in front.costs.T)
        step = xp.searchsorted(left, costs[0].ravel(), side="right").reshape(costs[0].shape) - 1
        better = (step < 0) | (costs[1] < low[xp.maximum(step, 0)])
        rows, moves = xp.nonzero(better)
        return rows, moves

    def _best_by_weights(self, costs: list[Any], front: Front) -> tuple[Any, Any]:
        """Return the best moves of each tour under random weights, the same for all tours."""
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


def _table(backend: Any, part: TSP) -> Any:
    """Return the matrix of an objective's lengths on a backend (cached)."""
    kept = _cache.setdefault(part, {})
    if backend not in kept:
        cities = np.arange(part.n)
        kept[backend] = backend.xp.asarray(part.lengths(cities[:, None], cities[None]))
    return kept[backend]


_cache: weakref.WeakKeyDictionary[TSP, dict[Any, Any]] = weakref.WeakKeyDictionary()
