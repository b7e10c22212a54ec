"""Candidate sets made of others: two in one, and in both directions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.candidates.base import Candidates, check_sets
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.candidates.rows import equal_rows, places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.candidates.lists import CandidateLists
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Union(Candidates):
    """The candidates of one set, then those of another that are not listed yet: `first | second`.

    Both keep their order. Every city has as many candidates as the one with most; lists that are
    shorter are filled up with the nearest cities that they do not hold, nearest first.

    Parameters
    ----------
    first, second : Candidates

    Raises
    ------
    InvalidTypeError
        One of them is not a candidate set.
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
        return equal_rows(problem, np.concatenate([lists.cities for lists in both], axis=1))

    def most(self, problem: TSP) -> int:
        """Return what the longer part is known to have."""
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
        return equal_rows(problem, np.concatenate([lists.cities, others], axis=1))

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
