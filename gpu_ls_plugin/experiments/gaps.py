"""Gaps: the distance of solutions from the best known solution of their problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.experiments.records import Costs

CORNER = 1.1  # coordinate of the reference point in each scaled objective
DIGITS = 9  # gaps are rounded to this many decimals, which hides rounding errors of real lengths
NOTHING = "nothing, since no run found a feasible solution"

Gap = Callable[["Costs"], float]


@dataclass(frozen=True)
class CostGap:
    """The gap of a single objective, in percent of a reference, or of 1 if the reference is 0.

    `proven` says whether the reference is the optimum.
    """

    reference: float
    proven: bool

    def __call__(self, costs: Costs) -> float:
        if not costs or math.isinf(self.reference):
            return math.inf
        unit = abs(self.reference) or 1.0
        return round(100.0 * (min(costs)[0] - self.reference) / unit, DIGITS)

    @property
    def found_here(self) -> bool:
        """Whether the reference is the best cost of the runs themselves."""
        return not self.proven and math.isfinite(self.reference)

    def __str__(self) -> str:
        if math.isinf(self.reference):
            return NOTHING
        source = "the optimum" if self.proven else "the best cost of all runs"
        return f"{source}, {self.reference:.10g}"


@dataclass(frozen=True)
class FrontGap:
    """The gap of several objectives: the missing share of the hypervolume, in percent.

    The share is relative to the hypervolume of the final fronts of all runs together. Objectives
    are scaled so that these fronts span 0 to 1; the reference point is 1.1 in each.
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
        """Hypervolume of all fronts together."""
        return self.volume(self.together.tolist())

    def __str__(self) -> str:
        if not len(self.together):
            return NOTHING
        return f"the hypervolume of the fronts of all runs together, {self.whole:.4g}"


def gap_of(objectives: int, finals: Sequence[Costs], optimum: float | None) -> Gap:
    """Return the gap for a problem; `finals` are the final costs of each run."""
    rows = [row for costs in finals for row in costs]
    if objectives > 1:
        return FrontGap(np.array(rows, dtype=float).reshape(-1, objectives))
    best = min((row[0] for row in rows), default=math.inf)
    return CostGap(best if optimum is None else optimum, optimum is not None)


def hypervolume(front: ArrayLike, reference: ArrayLike) -> float:
    """Return the exact volume between a front and a reference point; objectives are minimised.

    The function adds up slices along the last objective. That is fast for two objectives, and for
    three objectives with a few hundred rows. Dominated rows and rows beyond the reference point add
    nothing.
    """
    rows, corner = np.asarray(front, dtype=float), np.asarray(reference, dtype=float)
    if not len(rows):
        return 0.0
    return _volume(np.unique(rows[(rows < corner).all(axis=1)], axis=0), corner)


def _volume(rows: NDArray[np.float64], corner: NDArray[np.float64]) -> float:
    if not len(rows):
        return 0.0
    if len(corner) == 1:
        return float(corner[0] - rows.min())
    rows = rows[np.argsort(rows[:, -1], kind="stable")]
    if len(corner) == 2:
        heights = corner[0] - np.minimum.accumulate(rows[:, 0])
        return float(heights @ np.diff(np.append(rows[:, 1], corner[1])))
    depths = np.diff(np.append(rows[:, -1], corner[-1]))
    return sum(
        float(depth) * _volume(rows[: index + 1, :-1], corner[:-1])
        for index, depth in enumerate(depths)
        if depth > 0
    )
