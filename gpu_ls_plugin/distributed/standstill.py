"""When tours that are crossed need those of other islands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpu_ls_plugin.runs.population import Population


class Standstill:
    """Watches the best tour of a population whose tours are crossed: do these still improve it?"""

    def __init__(self) -> None:
        self._best, self._exchanges = math.inf, 0

    def reached(self, population: Population, best: float) -> bool:
        """Return whether the best cost is what it was before the last crossovers."""
        if best < self._best:
            self._best, self._exchanges = best, population.exchanges
        return population.exchanges > self._exchanges
