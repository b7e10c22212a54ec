"""What a candidate set is: a rule, and the lists it gives for a problem."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.tsp import TSP


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """Candidates of every city.

    Attributes
    ----------
    cities : ndarray, shape (n, k), int32
        Candidates of each city, the city itself not among them.
    lengths : ndarray, shape (n, k), int64 or float64
        Exact lengths to them.
    """

    cities: NDArray[Any]
    lengths: NDArray[Any]

    @property
    def degree(self) -> int:
        """Number of candidates of a city."""
        return int(self.cities.shape[1])


class Candidates(ABC):
    """A rule that gives every city its candidates; lists are made once per problem and backend."""

    @abstractmethod
    def build(self, problem: TSP) -> CandidateLists:
        """Make the lists for a problem, on the host."""

    def most(self, problem: TSP) -> int:
        """Return how many candidates a city of the problem will have; more than none is known."""
        return 0

    def of(self, problem: TSP) -> CandidateLists:
        """Return the lists for a problem; repeated calls return the same object."""
        kept = _lists.setdefault(problem, {})
        if self not in kept:
            kept[self] = self.build(problem)
        return kept[self]

    def on(self, backend: Backend, problem: TSP) -> tuple[Any, Any, int]:
        """Return (cities, lengths, degree) with the arrays on a backend."""
        lists = self.of(problem)
        kept = _arrays.setdefault(problem, {})
        key = (self, id(backend))
        if key not in kept:
            xp = backend.xp
            kept[key] = (xp.asarray(lists.cities), xp.asarray(lists.lengths))
        return (*kept[key], lists.degree)


# Kept beside the problems, not in them: copies and pickles of a problem stay small.
_lists: weakref.WeakKeyDictionary[TSP, dict[Candidates, CandidateLists]] = (
    weakref.WeakKeyDictionary()
)
_arrays: weakref.WeakKeyDictionary[TSP, dict[Any, Any]] = weakref.WeakKeyDictionary()
