"""The filter by the length of new edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import checks
from gpu_ls_plugin.filtering.base import Filter

if TYPE_CHECKING:
    from gpu_ls_plugin.filtering.base import Setting


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
    header = "filtering/radius.cuh"
    opens = True

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "r", least=0)

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return "gls::Radius"

    def words(self, setting: Setting) -> list[Any]:
        """Return the longest length that passes."""
        return [self.r]
