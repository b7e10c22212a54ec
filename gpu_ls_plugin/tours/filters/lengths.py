"""Filters by length: of new edges, and by what a move can gain at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.filters.base import Filter

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.filters.base import Setting


@dataclass(frozen=True)
class Radius(Filter):
    """Keep moves whose new edges are all at most `r` long.

    Parameters
    ----------
    r : float
        In the unit of the problem's lengths, at least 0.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `r` is not such a number.
    """

    r: float

    name = "radius"
    header = "tours/filters/radius.cuh"
    opens = True

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "r", least=0)

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return "gls::Radius"

    def words(self, setting: Setting) -> list[Any]:
        """Return the longest length that passes."""
        return in_order(Radius.header, "ShortEdgeData", {"longest": self.r})


@dataclass(frozen=True)
class GainBound(Filter):
    """Drop moves that cannot improve the tour, whatever their other edges are.

    Each end of a removed edge gets a new edge, at least as long as the way to the city's nearest
    neighbour; so one new edge that is too long for the edges removed decides against a move. The
    descent is the same as without the filter. In 3-opt, two edges can decide against all moves
    that take them out (the filter of openings).
    """

    name = "gain_bound"
    header = "tours/filters/gain_bound.cuh"
    opens = True

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return "gls::GainBound"

    def rotations(self, edges: int) -> int:
        """Return 3 for moves of three edges: at least one new edge leaves enough to gain."""
        return 3 if edges > 2 else 1

    @property
    def candidate_sets(self) -> tuple[Nearest]:
        """The nearest city of each."""
        return (Nearest(1),)

    def words(self, setting: Setting) -> list[Any]:
        """Return the length from every city to its nearest."""
        (nearest,) = self.candidate_sets
        lengths = nearest.of(setting.problem).lengths[:, 0]
        data = {"nearest": setting.backend.xp.asarray(lengths.astype(setting.dtype))}
        return in_order(GainBound.header, "GainBoundData", data)

    def state_words(self, n: int) -> int:
        """Return one word for every position, and one for the largest of them."""
        return n + 1
