"""The filter that drops nothing."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.filtering.base import Filter


@dataclass(frozen=True)
class Everything(Filter):
    """Keep all moves: what filters are measured against."""

    name = "everything"

    def functor(self) -> str:
        """Return the C++ type of the test."""
        return "gls::Everything"
