"""The filter that keeps moves at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import checks
from gpu_ls_plugin.filtering.base import Filter

if TYPE_CHECKING:
    from gpu_ls_plugin.filtering.base import Setting


@dataclass(frozen=True)
class RandomKeep(Filter):
    """Keep each move with a given probability, drawn again in each pass (Schulz 2013, section 7).

    Parameters
    ----------
    rate : float
        From 0 to 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `rate` is not such a number.
    """

    rate: float = 0.25

    name = "random_keep"
    header = "filtering/random_keep.cuh"

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "rate", least=0, most=1)

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return "gls::RandomKeep"

    def words(self, setting: Setting) -> list[Any]:
        """Return the seed, and how many of 2**32 draws keep a move."""
        return [setting.seed, round(self.rate * 2**32)]
