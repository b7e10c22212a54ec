"""When tours that are crossed wait for those of other islands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpu_ls_plugin.budget import Stopwatch

if TYPE_CHECKING:
    from gpu_ls_plugin.searches.rounds import Rounds

SOONEST = 0.25  # of a stretch: an exchange is not free


class Standstill:
    """Watches a population whose tours are crossed: has it improved, and finds no more by itself?

    Then it knows what others may lack, and lacks what others may know.
    """

    def __init__(self) -> None:
        self._best, self._exchanges = math.inf, 0
        self.begin(math.inf)

    def begin(self, seconds: float) -> None:
        """Watch a stretch of so many seconds."""
        self._early = Stopwatch.of(SOONEST * seconds)
        self._improved = False

    def reached(self, rounds: Rounds, best: float) -> bool:
        """Return whether the best cost is what it was before the last crossovers."""
        if best < self._best:
            self._best, self._exchanges, self._improved = best, rounds.exchanges, True
        crossed = rounds.exchanges > self._exchanges
        return self._improved and crossed and self._early.left <= 0
