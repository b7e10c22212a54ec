"""Cycle crossover (Oliver, Smith and Holland 1987)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.recombination.pair_recombination import PairRecombination
from gpu_ls_plugin.tours.tour_layouts import padded


@dataclass(frozen=True)
class Cycle(PairRecombination):
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

    name = "cycle"
    functor = "gls::Cycle"
    reverses = by_lengths = False

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair: two stretches of a cycle for each place."""
        return 2 * padded(2 * n * city_bytes)
