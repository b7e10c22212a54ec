"""Candidate sets made of other sets: unions and symmetric closures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.candidates.base import Candidates, check_sets
from gpu_ls_plugin.tours.candidates.lists import lists_of, places
from gpu_ls_plugin.tours.candidates.nearest import Nearest, NearestCities
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.candidates.lists import CandidateLists
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Union(Candidates):
    """The candidates of one set, then the further ones of another: `first | second`.

    Both sets keep their order. All lists get the length of the longest one: shorter lists are
    filled up with the nearest cities that they do not contain, nearest first.

    Parameters
    ----------
    first, second : Candidates

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
        """Compile what makes the parts."""
        self.first.compile(problem)
        self.second.compile(problem)

    def build(self, problem: TSP) -> CandidateLists:
        """Make the lists for a problem, on the host."""
        both = (self.first.of(problem), self.second.of(problem))
        return _equal_rows(problem, np.concatenate([lists.cities for lists in both], axis=1))

    def most(self, problem: TSP) -> int:
        """Return the larger number of both sets."""
        return max(self.first.most(problem), self.second.most(problem))


@dataclass(frozen=True)
class Closure(Candidates):
    """The symmetric closure of a set: who lists a city is a candidate of that city.

    A city's own list comes first, as it was, then the cities that list it, by exact length, ties
    by city number. A pair of the given set is listed at both of its cities, unless one of them
    has `limit` candidates; then it is listed at the other only.

    Every city has as many candidates as the one with most; lists that are shorter are filled up
    with the nearest cities that they do not hold, nearest first. What only fills up need not be
    listed at the other city.

    Parameters
    ----------
    candidates : Candidates
        The set to close.
    limit : int, optional
        Most candidates of a city, twice as many as the set gives by default. Own lists are never
        cut.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        candidates is not a candidate set, or limit is not a positive integer.
    """

    candidates: Candidates = field(default_factory=Nearest)
    limit: int | None = None

    def __post_init__(self) -> None:
        check_sets(self, "candidates")
        checks.given_fields(self, checks.integer, "limit", least=1)

    def compile(self, problem: TSP) -> None:
        """Compile what makes the parts."""
        self.candidates.compile(problem)

    def build(self, problem: TSP) -> CandidateLists:
        """Make the lists for a problem, on the host."""
        lists = self.candidates.of(problem)
        limit = 2 * lists.degree if self.limit is None else self.limit
        others = _listing(problem, lists.cities, max(0, limit - lists.degree))
        return _equal_rows(problem, np.concatenate([lists.cities, others], axis=1))

    def most(self, problem: TSP) -> int:
        """Return what the given set is known to have."""
        return self.candidates.most(problem)


def _listing(problem: TSP, cities: NDArray[Any], most: int) -> NDArray[Any]:
    """Return, up to `most`, who lists each city and is not listed by it; -1 where none is left."""
    n, degree = cities.shape
    by, listed = np.repeat(np.arange(n), degree), cities.ravel().astype(np.int64)
    one_way = ~np.isin(listed * n + by, by * n + listed)
    by, listed = by[one_way], listed[one_way]
    order = np.lexsort((by, problem.lengths(listed, by), listed))
    by, listed = by[order], listed[order]
    place = places(listed, n)
    kept = place < most
    others = np.full((n, int(place[kept].max(initial=-1)) + 1), -1)
    others[listed[kept], place[kept]] = by[kept]
    return others


def _equal_rows(problem: TSP, proposals: NDArray[Any]) -> CandidateLists:
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
