"""Crossovers that know the two tours alone, and no lengths."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.crossovers.pair_recombination import PairRecombination


@dataclass(frozen=True)
class CycleRecombination(PairRecombination):
    """Take every city from a place where one of two tours has it.

    Places fall into cycles: behind a place comes the one where the first parent has what the
    second has there, so that a cycle holds the same cities in both. The child has the first cycle
    from the first parent, the next one from the second, and so on in turn, in the order of their
    first places (Oliver, Smith and Holland 1987; of its variants the one that takes cycles in
    turn). A place where both have the same city is a cycle, too. Nothing is drawn. It preserves
    places, which mean little in a tour: parents should be written from the same city on, in the
    same direction.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges of a population; more than 0.
    generations : int
        Of each exchange.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    name = "cycle_recombination"
    functor = "gls::Cycle"
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair: two stretches of a cycle for each place."""
        return 2 * padded(2 * n * city_bytes)


@dataclass(frozen=True)
class EdgeRecombination(PairRecombination):
    """Go from city to city along the edges of two tours.

    The child goes on along an edge that both parents have, if there is one, else to the neighbour
    in either parent that has the fewest neighbours left, and from a dead end to a random city
    (Whitley, Starkweather and Fuquay 1989; Mathias and Whitley 1992). A few hundredths of its edges
    are of neither parent, and long: it needs a local search after it.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges of a population; more than 0.
    generations : int
        Of each exchange.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    name = "edge_recombination"
    functor = "gls::EdgeRecombination"
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair: the child, the places of its cities, and the graph."""
        return 2 * padded(n * city_bytes) + padded(4 * n * city_bytes) + padded(n)


@dataclass(frozen=True)
class OrderRecombination(PairRecombination):
    """Keep a section of one tour, and take the order of the other cities from another one.

    The section lies between two places that are drawn, around the end of the array perhaps, and
    stays where it is; behind it follow the other cities, in the order in which the second parent
    has them from there on (Davis 1985). It preserves an order, not edges: where the two tours have
    little in common, most of the edges outside the section are of neither.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges of a population; more than 0.
    generations : int
        Of each exchange.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    name = "order_recombination"
    functor = "gls::OrderCrossover"
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair: a bit for each city."""
        return padded((n + 31) // 32 * 4)


@dataclass(frozen=True)
class PartiallyMappedRecombination(PairRecombination):
    """Keep a section of one tour, and the other cities where another one has them.

    The section lies between two places that are drawn, around the end of the array perhaps, and
    stays where it is. At the other places lies what the second parent has there, unless it is in
    the section: then what the second parent has where the first has that city, and so on
    (Goldberg and Lingle 1985). It preserves places, which mean little in a tour: parents should be
    written from the same city on, in the same direction.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges of a population; more than 0.
    generations : int
        Of each exchange.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    name = "partially_mapped_recombination"
    functor = "gls::PartiallyMapped"
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair: the place of each city."""
        return padded(n * city_bytes)


@dataclass(frozen=True)
class SegmentRecombination(PairRecombination):
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

    name = "segment_recombination"
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
