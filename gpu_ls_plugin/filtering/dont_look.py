"""Don't-look bits as a filter."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.filtering.base import Filter


@dataclass(frozen=True)
class DontLook(Filter):
    """Keep moves that take out an edge at a city that is awake (Bentley 1992).

    All cities are awake at first. After a complete evaluation those stay awake that are an end of
    a kept move with a gain, and the ends of the edges that have changed wake up.
    """

    name = "dont_look"
    header = "filtering/dont_look.cuh"

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return "gls::DontLook"

    def state_words(self, n: int) -> int:
        """Return two bytes for every city, in words."""
        return (2 * n + 7) // 8
