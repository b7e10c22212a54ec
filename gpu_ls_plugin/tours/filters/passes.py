"""Filters whose answer changes from pass to pass: don't-look bits, and chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.filters.base import Filter

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.filters.base import Setting


@dataclass(frozen=True)
class DontLook(Filter):
    """Keep moves that take out an edge at a city that is awake (Bentley 1992).

    All cities are awake at first. After a complete evaluation those stay awake that are an end of
    a kept move with a gain, and the ends of the edges that have changed wake up.
    """

    name = "dont_look"
    header = "tours/filters/dont_look.cuh"

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return "gls::DontLook"

    def state_words(self, n: int) -> int:
        """Return two bytes for every city, in words."""
        return (2 * n + 7) // 8


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
    header = "tours/filters/random_keep.cuh"

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "rate", least=0, most=1)

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return "gls::RandomKeep"

    def words(self, setting: Setting) -> list[Any]:
        """Return the seed, and how many of 2**32 draws keep a move."""
        data = {"seed": setting.seed, "kept": round(self.rate * 2**32)}
        return in_order(RandomKeep.header, "RandomKeepData", data)
