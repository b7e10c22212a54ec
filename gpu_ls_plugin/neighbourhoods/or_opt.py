"""The Or-opt neighbourhood (Or 1976)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin import checks
from gpu_ls_plugin.neighbourhoods.base import Neighbourhood

LONGEST = 16  # cities of a segment; more is what 3-opt is for


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
    header = "neighbourhoods/or_opt_move.cuh"
    reverses = False

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "max_length", least=1, most=LONGEST)

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return f"gls::OrOptMove<{self.max_length}, {str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return the lengths, times two places, times two segments."""
        return (4 if symmetric else 2) * self.max_length
