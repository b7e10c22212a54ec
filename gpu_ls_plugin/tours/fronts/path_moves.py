"""Moves of Pareto local search, which reverse a path of a tour or move it elsewhere.

Within a kind, two numbers identify a move: the place at which its path begins, and its reach, whose
meaning depends on the kind. A kind has

- ``places(n)``: both numbers of each move that changes a tour of n cities;
- ``change(tours, length, first, reach)``: the change of each tour's cost by each move, (B, moves);
- ``sources(n, first, reach)``: the former place of the city at each place after a move, (moves, n).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Places = tuple["NDArray[np.intp]", "NDArray[np.intp]"]


@dataclass(frozen=True)
class Turn:
    """2-opt: reverses the path from the first to the last place; `reach` is the last place."""

    def places(self, n: int) -> Places:
        """Return all paths of at least two cities without place 0, except the longest path."""
        first, last = (ends.astype(np.intp) for ends in np.triu_indices(n, 1))
        kept = (first > 0) & (last - first < n - 2)
        return first[kept], last[kept]

    def change(self, tours: Any, length: Callable[[Any, Any], Any], first: Any, reach: Any) -> Any:
        """Return the length of the two new edges minus that of the two old edges."""
        n, last = tours.shape[1], reach
        before, begin = tours[:, (first - 1) % n], tours[:, first]
        end, behind = tours[:, last], tours[:, (last + 1) % n]
        old = length(before, begin) + length(end, behind)
        return length(before, end) + length(begin, behind) - old

    def sources(self, n: int, first: NDArray[np.intp], reach: NDArray[np.intp]) -> Any:
        """Return the former places, which are mirrored within the path."""
        place, first, last = np.arange(n)[None], first[:, None], reach[:, None]
        return np.where((place >= first) & (place <= last), first + last - place, place)


@dataclass(frozen=True)
class Shift:
    """Or-opt: moves a path past the next `reach` cities, and reverses it if `turned`."""

    cities: int  # number of cities of the path
    turned: bool = False

    def places(self, n: int) -> Places:
        """Return all moves except those past one city or all but one, which other kinds make."""
        first, reach = np.mgrid[:n, 2 : max(2, n - self.cities - 1)].astype(np.intp)
        return first.ravel(), reach.ravel()

    def change(self, tours: Any, length: Callable[[Any, Any], Any], first: Any, reach: Any) -> Any:
        """Return the length of the three new edges minus that of the three old edges."""

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
        """Return the former places, rotated within the path and the cities that it passes."""
        first, reach = first[:, None], reach[:, None]
        step = (np.arange(n)[None] - first) % n
        moved = self.cities - 1 - (step - reach) if self.turned else step - reach
        inside = np.where(step < reach, step + self.cities, moved)
        return (first + np.where(step < reach + self.cities, inside, step)) % n


PathMoves = Turn | Shift


def kinds(cities: int) -> tuple[PathMoves, ...]:
    """Return the kinds of moves: 2-opt if `cities` is 0, else Or-opt of that many cities."""
    if cities == 0:
        return (Turn(),)
    return (Shift(cities),) if cities == 1 else (Shift(cities), Shift(cities, turned=True))


@cache
def places_of(kind: PathMoves, n: int) -> Places:
    """Return both numbers of all moves of a kind (cached)."""
    return kind.places(n)
