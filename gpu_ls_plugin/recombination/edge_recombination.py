"""Edge recombination (Whitley, Starkweather and Fuquay 1989)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.recombination.pair_recombination import PairRecombination
from gpu_ls_plugin.tours.tour_layouts import padded


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
