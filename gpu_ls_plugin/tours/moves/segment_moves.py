"""Neighbourhoods that move or exchange segments of a tour."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.moves.base import Neighbourhood

LONGEST_MOVED = 16  # cities of a segment; more is what 3-opt is for


@dataclass(frozen=True)
class OrOpt(Neighbourhood):
    """Move up to `max_length` neighbouring cities elsewhere, either way round.

    At a city, segments that begin or end with it are put on either side of a candidate, and
    segments that begin or end with a candidate are put beside the city. On asymmetric problems
    segments keep their direction.

    Parameters
    ----------
    max_length : int
        Longest segment, 1 to 16 cities.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `max_length` is not an integer from 1 to 16.
    """

    max_length: int = 3

    name = "or_opt"
    header = "tours/moves/or_opt_move.cuh"
    reverses = False

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "max_length", least=1, most=LONGEST_MOVED)

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return f"gls::OrOptMove<{self.max_length}, {str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return the lengths, times two places, times two segments."""
        return (4 if symmetric else 2) * self.max_length


@dataclass(frozen=True)
class Relocate(OrOpt):
    """Move up to `max_length` neighbouring customers elsewhere, either way round: `OrOpt`.

    To another place of their route, to another route, or to an empty one.
    """

    name = "relocate"


LONGEST_EXCHANGED = 8  # cities of a segment


@dataclass(frozen=True)
class Exchange(Neighbourhood):
    """Let up to `first` neighbouring cities change places with up to `second` elsewhere.

    Both keep their direction. Exchanges of customers between routes of a giant tour, or within
    one; with 3 and 3 the CROSS exchange.

    Parameters
    ----------
    first, second : int
        Longest segments, 1 to 8 cities.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A length is not an integer from 1 to 8.
    """

    first: int = 2
    second: int = 2

    name = "exchange"
    header = "tours/moves/exchange_move.cuh"
    reverses = False

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "first", "second", least=1, most=LONGEST_EXCHANGED)

    @property
    def deep(self) -> bool:
        """True: moves exchange four edges."""
        return True

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return f"gls::ExchangeMove<{self.first}, {self.second}, {str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return the pairs of lengths, times two places."""
        return (2 if symmetric else 1) * self.first * self.second
