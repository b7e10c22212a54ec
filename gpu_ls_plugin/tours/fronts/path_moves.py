"""Moves of Pareto local search: all that turn a path of a tour, or put one elsewhere.

A move of a kind is named by two numbers: where its path begins, and how far it reaches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Places = tuple["NDArray[np.intp]", "NDArray[np.intp]"]


class PathMoves(ABC):
    """One kind of moves, at all places of a tour."""

    @abstractmethod
    def places(self, n: int) -> Places:
        """Return the numbers of every move that changes a tour of n cities."""

    @abstractmethod
    def change(self, tours: Any, length: Callable[[Any, Any], Any], first: Any, reach: Any) -> Any:
        """Return what each move adds to the cost of each tour, shape (B, moves)."""

    @abstractmethod
    def sources(self, n: int, first: NDArray[np.intp], reach: NDArray[np.intp]) -> Any:
        """Return where the city at each place stood before each move, shape (moves, n)."""


@dataclass(frozen=True)
class Turn(PathMoves):
    """2-opt: the path from the first to the last place is read backward."""

    def places(self, n: int) -> Places:
        """Return all paths without the first place, but that of all others."""
        first, last = (ends.astype(np.intp) for ends in np.triu_indices(n, 1))
        kept = (first > 0) & (last - first < n - 2)
        return first[kept], last[kept]

    def change(self, tours: Any, length: Callable[[Any, Any], Any], first: Any, reach: Any) -> Any:
        """Return what the two new edges are longer."""
        n, last = tours.shape[1], reach
        before, begin = tours[:, (first - 1) % n], tours[:, first]
        end, behind = tours[:, last], tours[:, (last + 1) % n]
        old = length(before, begin) + length(end, behind)
        return length(before, end) + length(begin, behind) - old

    def sources(self, n: int, first: NDArray[np.intp], reach: NDArray[np.intp]) -> Any:
        """Return places mirrored in the middle of the path."""
        place, first, last = np.arange(n)[None], first[:, None], reach[:, None]
        return np.where((place >= first) & (place <= last), first + last - place, place)


@dataclass(frozen=True)
class Shift(PathMoves):
    """Or-opt: a path of so many cities, as it is or turned, passes as many as it reaches over."""

    cities: int
    turned: bool = False

    def places(self, n: int) -> Places:
        """Return all but those over one city, or all but one: they are other kinds' moves."""
        first, reach = np.mgrid[:n, 2 : max(2, n - self.cities - 1)].astype(np.intp)
        return first.ravel(), reach.ravel()

    def change(self, tours: Any, length: Callable[[Any, Any], Any], first: Any, reach: Any) -> Any:
        """Return what the three new edges are longer."""

        def at(place: Any) -> Any:
            return tours[:, place % tours.shape[1]]

        before, begin = at(first - 1), at(first)
        end, then = at(first + self.cities - 1), at(first + self.cities)
        near, behind = at(first + self.cities + reach - 1), at(first + self.cities + reach)
        old = length(before, begin) + length(end, then) + length(near, behind)
        if self.turned:
            begin, end = end, begin
        return length(before, then) + length(near, begin) + length(end, behind) - old

    def sources(self, n: int, first: NDArray[np.intp], reach: NDArray[np.intp]) -> Any:
        """Return places turned round within the path and what it passes."""
        first, reach = first[:, None], reach[:, None]
        step = (np.arange(n)[None] - first) % n
        moved = self.cities - 1 - (step - reach) if self.turned else step - reach
        inside = np.where(step < reach, step + self.cities, moved)
        return (first + np.where(step < reach + self.cities, inside, step)) % n


def kinds(cities: int) -> tuple[PathMoves, ...]:
    """Return Or-opt of paths of so many cities; 2-opt for none."""
    if cities == 0:
        return (Turn(),)
    return (Shift(cities),) if cities == 1 else (Shift(cities), Shift(cities, turned=True))


@cache
def places_of(kind: PathMoves, n: int) -> Places:
    """Return the places of all moves of a kind; found out once."""
    return kind.places(n)
