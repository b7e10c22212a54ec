"""Weighted sums of several objectives, with weights for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.rows import as_tours

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun
    from gpu_ls_pymoo.sequence_objective import PymooObjective


def weighted_problems(
    objective: PymooObjective, rows: NDArray[Any], rule: Any, random_state: Generator
) -> list[gls.Sequence]:
    """Return a problem for each row (P, n), with the weights that a rule draws for the row.

    Objectives are scaled by their extent among the rows first.
    """
    found = objective.objectives(rows)
    ideal, extent = found.min(axis=0), np.ptp(found, axis=0)
    spans = np.where(extent > 0, extent, 1.0)
    drawn = rule.draw((found - ideal) / spans, random_state) / spans
    return [gls.Sequence(rows.shape[1], objective.weighted(weights)) for weights in drawn]


@dataclass(frozen=True)
class WeightedImprover(Improver):
    """Searches each row by a weighted sum of several objectives, with weights of its own."""

    objective: PymooObjective | None = None
    rule: Any = None  # draws the weights

    def __call__(
        self,
        problem: Problem,
        rows: ArrayLike,
        random_state: Generator,
        run: FrameworkRun | None = None,
    ) -> tuple[Tours, None]:
        """Search all rows (P, n) one after another; see `Improver`. Costs are None."""
        given = as_tours(rows)
        assert self.objective is not None
        weighted = weighted_problems(self.objective, given, self.rule, random_state)
        made = given.copy()
        for number, one in enumerate(weighted):
            result = self.search_rows(one, given[number, None], random_state, run)
            if result is not None:
                made[number] = result.tours[0]
        return made, None
