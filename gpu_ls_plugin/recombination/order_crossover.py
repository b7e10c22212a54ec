"""Order crossover (Davis 1985)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.recombination.pair_recombination import PairRecombination
from gpu_ls_plugin.tours.tour_layouts import padded


@dataclass(frozen=True)
class OrderCrossover(PairRecombination):
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

    name = "order_crossover"
    functor = "gls::OrderCrossover"
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair: a bit for each city."""
        return padded((n + 31) // 32 * 4)
