"""The exchange neighbourhood (CROSS exchange: Taillard et al. 1997)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin import checks
from gpu_ls_plugin.neighbourhoods.base import Neighbourhood

LONGEST = 8  # cities of a segment


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
    header = "neighbourhoods/exchange_move.cuh"
    reverses = False

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "first", "second", least=1, most=LONGEST)

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
