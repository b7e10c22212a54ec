"""Partially mapped crossover (Goldberg and Lingle 1985)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.recombination.pair_recombination import PairRecombination
from gpu_ls_plugin.tours.tour_layouts import padded


@dataclass(frozen=True)
class PartiallyMapped(PairRecombination):
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

    name = "partially_mapped"
    functor = "gls::PartiallyMapped"
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair: the place of each city."""
        return padded(n * city_bytes)
