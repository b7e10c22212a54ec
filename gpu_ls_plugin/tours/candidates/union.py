"""Unions of candidate sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.candidates.base import Candidates, check_sets
from gpu_ls_plugin.tours.candidates.lists import lists_of
from gpu_ls_plugin.tours.candidates.nearest import Nearest, NearestCities
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.candidates.lists import CandidateLists
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Union(Candidates):
    """The candidates of one set, then those that another set adds: `first | second`.

    The candidates of each set keep their order. All lists get the length of the longest one:
    shorter lists are filled up with the nearest cities that they do not contain, nearest first.

    Parameters
    ----------
    first, second : Candidates
        The two sets.

    Raises
    ------
    InvalidTypeError
        `first` or `second` is not a candidate set.
    """

    first: Candidates = field(default_factory=lambda: Quadrant(8))
    second: Candidates = field(default_factory=lambda: Nearest(5))

    def __post_init__(self) -> None:
        check_sets(self, "first", "second")

    def compile(self, problem: TSP) -> None:
        self.first.compile(problem)
        self.second.compile(problem)

    def build(self, problem: TSP) -> CandidateLists:
        both = (self.first.of(problem), self.second.of(problem))
        return _equal_rows(problem, np.concatenate([lists.cities for lists in both], axis=1))

    def most(self, problem: TSP) -> int:
        """Return the larger of the two sets' numbers of candidates."""
        return max(self.first.most(problem), self.second.most(problem))


def _equal_rows(problem: TSP, proposals: NDArray[Any]) -> CandidateLists:
    """Return lists of the proposed cities (n, w), in their order and without repetitions.

    All lists get the length of the longest one: shorter ones are filled up with the nearest cities
    that they do not contain.
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


def _without_repeats(rows: NDArray[Any]) -> NDArray[Any]:
    """Return each row's distinct cities, in their order, filled up with -1."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, 1)
    repeated = ordered < 0
    repeated[:, 1:] |= ordered[:, 1:] == ordered[:, :-1]
    dropped = np.empty_like(repeated)
    np.put_along_axis(dropped, order, repeated, 1)
    front = np.argsort(dropped, axis=1, kind="stable")
    return np.take_along_axis(np.where(dropped, -1, rows), front, 1)
