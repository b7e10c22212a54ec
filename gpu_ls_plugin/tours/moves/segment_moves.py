"""Neighbourhoods that move or exchange segments of a tour."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.moves.base import Neighbourhood

LONGEST_MOVED = 16  # maximum number of cities per segment; for longer ones use 3-opt


@dataclass(frozen=True)
class OrOpt(Neighbourhood):
    """Move up to `max_length` consecutive cities elsewhere, in either direction.

    This is Or-opt (Or 1976). For each city and each of its candidates, segments that begin or end
    with the city are moved to either side of the candidate, and segments that begin or end with the
    candidate are moved next to the city. On asymmetric problems, segments keep their direction.

    Parameters
    ----------
    max_length : int
        Maximum number of cities of a segment, 1 to 16.

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
        return f"gls::OrOptMove<{self.max_length}, {str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return the number of lengths times 4, or times 2 if lengths are asymmetric."""
        return (4 if symmetric else 2) * self.max_length


@dataclass(frozen=True)
class Relocate(OrOpt):
    """Move up to `max_length` consecutive customers elsewhere, in either direction.

    Customers move within their route, to another route or to an empty one. The moves and the
    parameter are those of `OrOpt`.
    """

    name = "relocate"


LONGEST_EXCHANGED = 8  # maximum number of cities per segment


@dataclass(frozen=True)
class Exchange(Neighbourhood):
    """Swap up to `first` consecutive cities with up to `second` elsewhere.

    Both segments keep their direction. In a giant tour, the moves exchange customers between routes
    or within one; ``Exchange(3, 3)`` is the CROSS exchange (Taillard et al. 1997).

    Parameters
    ----------
    first, second : int
        Maximum number of cities of each of the two segments, 1 to 8.

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
        """True, since moves exchange four edges."""
        return True

    def functor(self, symmetric: bool) -> str:
        return f"gls::ExchangeMove<{self.first}, {self.second}, {str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return the number of pairs of lengths, times 2 if the problem is symmetric."""
        return (2 if symmetric else 1) * self.first * self.second
