"""Edges that all of an elite have, contracted: chains work where its tours differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.searches.composed import Composed

SMALLEST = 16  # cities left


@dataclass(frozen=True)
class Contraction:
    """A smaller problem: cities between two common edges are left out, the rest renumbered.

    Cities that remain have the numbers 0 to m - 1 in the order of the first elite tour. Each path
    of common edges is one fixed edge between its ends.

    Attributes
    ----------
    tour : array, shape (n,)
        The first elite tour.
    places : array, shape (m,)
        Where in it the cities that remain stand.
    fixed : boolean array, shape (m,)
        Whether the edge from a city that remains to the next of them is fixed.
    numbers : array, shape (n,)
        Number of each city, -1 where it is left out.
    """

    backend: Backend
    tour: Any
    places: Any
    fixed: Any
    numbers: Any

    @classmethod
    def of(cls, backend: Backend, elite: Any) -> Contraction | None:
        """Return the contraction of elite tours (E, n), None where hardly a city would remain."""
        xp, n = backend.xp, elite.shape[1]
        tour = elite[0]
        common = xp.ones(n, bool)  # the edge behind each place
        for other in elite[1:]:
            place = xp.empty(n, "int32")
            place[other] = xp.arange(n, dtype="int32")
            apart = xp.abs(place[tour] - place[xp.roll(tour, -1)])
            common &= (apart == 1) | (apart == n - 1)
        (places,) = xp.nonzero(~(common & xp.roll(common, 1)))
        if len(places) < SMALLEST:
            return None
        numbers = xp.full(n, -1, "int32")
        numbers[tour[places]] = xp.arange(len(places), dtype="int32")
        return cls(backend, tour, places, common[places], numbers)

    @property
    def size(self) -> int:
        """Cities that remain."""
        return len(self.places)

    def names(self) -> Any:
        """Return the cities that remain, shape (m,)."""
        return self.tour[self.places]

    def mates(self) -> Any:
        """Return the other end of each city's fixed edge, the city itself where it has none."""
        xp, m = self.backend.xp, self.size
        mates = xp.arange(m, dtype="int32")
        (first,) = xp.nonzero(self.fixed)
        second = (first + 1) % m
        mates[first], mates[second] = second, first
        return mates

    def lists(self, parts: Composed) -> tuple[Any, Any]:
        """Return candidates and lengths of the cities that remain, as `parts` has them.

        A list keeps its order; its end repeats what is left of it. A city without any candidate
        gets the next city, too far away for a move.
        """
        xp, degree = self.backend.xp, parts.arguments["degree"]
        rows = xp.arange(self.size)[:, None]
        entries = self.names()[:, None].astype("int64") * degree + xp.arange(degree)
        own = self.numbers[parts.cities.ravel()[entries]]
        inside = (own >= 0).sum(axis=1)
        order = xp.argsort((own < 0) * degree + xp.arange(degree), axis=1)
        order = order[rows, xp.arange(degree) % xp.maximum(inside, 1)[:, None]]
        lengths = parts.lengths.ravel()[entries][rows, order]
        cities = own[rows, order]
        lonely = inside == 0
        cities[lonely] = ((rows + 1) % self.size)[lonely].astype(cities.dtype)
        lengths[lonely] = parts.far
        return parts.packed(cities, lengths)

    def shrink(self, tours: Any) -> Any:
        """Return tours (P, n) that have all common edges as rings (P, m)."""
        numbers = self.numbers[tours]
        return numbers[numbers >= 0].reshape(len(tours), self.size)

    def expand(self, rings: Any) -> Any:
        """Return rings (P, m) as tours (P, n)."""
        xp, n, m = self.backend.xp, len(self.tour), self.size
        following = xp.roll(rings, -1, axis=1)
        ahead = self.fixed[rings] & (following == (rings + 1) % m)
        back = self.fixed[following] & (rings == (following + 1) % m) & ~ahead
        # From each city that remains to the next, along the first elite tour.
        gaps = xp.diff(xp.concatenate([self.places, self.places[:1] + n]))
        counts = xp.where(ahead, gaps[rings], xp.where(back, gaps[following], 1)).ravel()
        ends = xp.cumsum(counts)
        index = xp.arange(len(rings) * n)
        owner = xp.searchsorted(ends, index, side="right")
        within = index - (ends - counts)[owner]
        direction = xp.where(back.ravel(), -1, 1)[owner]
        place = (self.places[rings.ravel()][owner] + direction * within) % n
        return self.tour[place].reshape(len(rings), n).astype("int32")
