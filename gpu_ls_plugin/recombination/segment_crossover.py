"""Crossover of a path of one tour and the rest of another one, which breaks few edges."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin import checks
from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.recombination.pair_recombination import PairRecombination
from gpu_ls_plugin.tours.tour_layouts import padded


@dataclass(frozen=True)
class SegmentCrossover(PairRecombination):
    """Put a segment of the second parent into the first, at its place and in its direction.

    The child is a path of the second parent, followed by the cities of the first that are not in
    it, in the first parent's order from the end of the path on, in the direction in which that
    parent runs through most of the path's end. Positions do not matter, so unlike in order
    crossover no edge is lost to a shift: new edges arise only where the parents disagree inside the
    path and at its end. It is an order crossover of this library's own. Where lengths are directed,
    the rest may run backwards nevertheless, which is for a local search to mend.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges of a population; more than 0.
    generations : int
        Of each exchange.
    shortest, longest : float
        Bounds of the segment's length as a part of the tour; it is drawn uniformly for each child.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number, or not ``0 < shortest <= longest <= 1``.
    """

    shortest: float = 0.125
    longest: float = 0.5

    name = "segment_crossover"
    functor = "gls::SegmentCrossover"
    parameters = "int shortest, int longest"
    reverses = by_lengths = False

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.number, "shortest", "longest", least=0, most=1)
        if not 0 < self.shortest <= self.longest:
            raise InvalidParameterError(
                f"shortest, longest: {self.shortest}, {self.longest}, but "
                "0 < shortest <= longest <= 1"
            )

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair: the place of each city, and a bit for it."""
        return padded(n * city_bytes) + padded((n + 31) // 32 * 4)

    def numbers(self, n: int) -> dict[str, int]:
        """Return the bounds of the segment's length in cities."""
        shortest = max(1, int(self.shortest * n))
        return {"shortest": shortest, "longest": max(shortest, int(self.longest * n))}
