"""Crossovers that read only the two tours, not the lengths."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.crossovers.pair_recombination import PairRecombination

SHARED = "runs/crossovers"  # crossovers that also suit other permutations


@dataclass(frozen=True)
class CycleRecombination(PairRecombination):
    """Put every city in a place that it has in one of the parents (cycle crossover).

    The places form cycles: each place leads to the place in which the first parent has the city
    that the second parent has here. So a cycle has the same cities in both parents. The child takes
    cycles from the first and the second parent in turn, in the order of their first places (Oliver,
    Smith and Holland 1987, in the variant with alternating cycles). A place with the same city in
    both parents is also a cycle. There are no random choices. The crossover preserves places, which
    mean little in a tour: let both parents begin with the same city and run in the same direction.

    Parameters
    ----------
    every, generations
        See `Recombination`.
    """

    name = "cycle_recombination"
    functor = "gls::Cycle"
    folder = SHARED
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the bytes of working memory per pair: four city numbers per place."""
        return 2 * padded(2 * n * city_bytes)


@dataclass(frozen=True)
class EdgeRecombination(PairRecombination):
    """Build the child city by city, along edges of both parents.

    The child follows an edge that both parents have, if there is one. Otherwise it goes to the
    neighbour, in either parent, that has the fewest unvisited neighbours. From a dead end it goes
    to a random city (Whitley, Starkweather and Fuquay 1989; Mathias and Whitley 1992). A few
    percent of the child's edges come from neither parent and are long, so use the crossover with a
    local search.

    Parameters
    ----------
    every, generations
        See `Recombination`.
    """

    name = "edge_recombination"
    functor = "gls::EdgeRecombination"
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the bytes of working memory per pair: the child, its places and the graph."""
        return 2 * padded(n * city_bytes) + padded(4 * n * city_bytes) + padded(n)


@dataclass(frozen=True)
class OrderRecombination(PairRecombination):
    """Keep a section of the first parent and take the order of the other cities from the second.

    The section is drawn at random, may wrap around the end of the array, and stays in place. The
    other cities follow it in the order of the second parent, which is read from the place after the
    section on (Davis 1985). The crossover preserves an order, not edges: if the parents have little
    in common, most edges outside the section come from neither parent.

    Parameters
    ----------
    every, generations
        See `Recombination`.
    """

    name = "order_recombination"
    functor = "gls::OrderCrossover"
    folder = SHARED
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the bytes of working memory per pair: a bit per city."""
        return padded((n + 31) // 32 * 4)


@dataclass(frozen=True)
class PartiallyMappedRecombination(PairRecombination):
    """Keep a section of the first parent, and the second parent's cities in the other places.

    The section is drawn at random, may wrap around the end of the array, and stays in place. Each
    other place receives the second parent's city in that place. If that city is in the section, it
    is replaced by the second parent's city in the place where the first parent has it, and so on
    (Goldberg and Lingle 1985). The crossover preserves places, which mean little in a tour: let
    both parents begin with the same city and run in the same direction.

    Parameters
    ----------
    every, generations
        See `Recombination`.
    """

    name = "partially_mapped_recombination"
    functor = "gls::PartiallyMapped"
    folder = SHARED
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the bytes of working memory per pair: the place of each city."""
        return padded(n * city_bytes)


@dataclass(frozen=True)
class SegmentRecombination(PairRecombination):
    """Begin with a path of the second parent and continue along the first parent.

    The child is a path of the second parent, followed by the other cities in the order of the
    first parent. The first parent is read from the end of the path on, in the direction in which it
    has most of the path's last edges. So edges are new only at the ends of the path and where the
    child skips cities that the path already contains; order crossover, in contrast, also loses
    edges because it shifts cities to other places. This variant of order crossover was developed
    for this library. With asymmetric lengths, the rest may run backward, which a local search has
    to repair.

    Parameters
    ----------
    every, generations
        See `Recombination`.
    shortest, longest : float
        Bounds on the number of cities in the path, as shares of n, more than 0 and at most 1. The
        number is drawn uniformly for each child.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is not a number, or ``0 < shortest <= longest <= 1`` does not hold.
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
                f"shortest, longest: {self.shortest}, {self.longest} do not satisfy "
                "0 < shortest <= longest <= 1"
            )

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the bytes of working memory per pair: a place and a bit per city."""
        return padded(n * city_bytes) + padded((n + 31) // 32 * 4)

    def numbers(self, n: int) -> dict[str, int]:
        """Return the bounds on the number of cities in the path."""
        shortest = max(1, int(self.shortest * n))
        return {"shortest": shortest, "longest": max(shortest, int(self.longest * n))}
