"""Pivoting rules: which improving move is taken."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Best"]


@dataclass(frozen=True)
class Best:
    """Take one best move of the whole neighbourhood per pass, as O'Neil and Burtscher 2015 do."""

    name = "best"
