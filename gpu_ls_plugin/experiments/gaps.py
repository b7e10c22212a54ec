"""How far solutions are from the best that is known of their problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.experiments.hypervolume import hypervolume

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.experiments.records import Costs

CORNER = 1.1  # the reference point of scaled objectives
DIGITS = 9  # of gaps: real lengths added up in another order differ by less
NOTHING = "nothing, since no run has found anything"

Gap = Callable[["Costs"], float]


@dataclass(frozen=True)
class CostGap:
    """One objective: how far solutions are above a reference, in percent of it, or of 1."""

    reference: float
    proven: bool

    def __call__(self, costs: Costs) -> float:
        if not costs or math.isinf(self.reference):
            return math.inf
        unit = abs(self.reference) or 1.0
        return round(100.0 * (min(costs)[0] - self.reference) / unit, DIGITS)

    def __str__(self) -> str:
        if math.isinf(self.reference):
            return NOTHING
        source = "the optimum" if self.proven else "the best cost of all runs"
        return f"{source}, {self.reference:.10g}"


@dataclass(frozen=True)
class FrontGap:
    """Several objectives: the share of hypervolume that a front lacks, in percent.

    The whole is the hypervolume of the final fronts of all runs together. Objectives are scaled
    such that these span 0 to 1, and the reference point is 1.1.
    """

    together: NDArray[np.float64]

    def __call__(self, costs: Costs) -> float:
        if not costs or not len(self.together):
            return math.inf
        return round(100.0 * (1.0 - self.volume(costs) / self.whole), DIGITS)

    def volume(self, costs: Costs) -> float:
        """Return the hypervolume of a front in scaled objectives."""
        least, span = self.together.min(axis=0), np.ptp(self.together, axis=0)
        scaled = (np.asarray(costs) - least) / np.where(span > 0, span, 1.0)
        return hypervolume(scaled, np.full(len(least), CORNER))

    @cached_property
    def whole(self) -> float:
        """The hypervolume of all fronts together."""
        return self.volume(self.together.tolist())

    def __str__(self) -> str:
        if not len(self.together):
            return NOTHING
        return f"the hypervolume of the fronts of all runs together, {self.whole:.4g}"


def gap_of(objectives: int, finals: Sequence[Costs], optimum: float | None) -> Gap:
    """Return the gap that fits a problem, whose final solutions each run has."""
    rows = [row for costs in finals for row in costs]
    if objectives > 1:
        return FrontGap(np.array(rows, dtype=float).reshape(-1, objectives))
    best = min((row[0] for row in rows), default=math.inf)
    return CostGap(best if optimum is None else optimum, optimum is not None)
