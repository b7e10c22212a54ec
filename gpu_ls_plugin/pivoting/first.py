"""First improvement, city by city."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.pivoting.base import Pivoting


@dataclass(frozen=True)
class First(Pivoting):
    """Work through the queue of cities and take the best move at the city in hand.

    A city without an improving move leaves the queue until a move changes one of its edges
    (don't-look bits, Bentley 1992).
    """

    name = "first"
