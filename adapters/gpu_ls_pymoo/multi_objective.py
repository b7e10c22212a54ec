"""Tours with several lengths as a pymoo problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pymoo.core.problem import Problem

from gpu_ls_plugin.evolution.batches.rows import as_tours
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.tours.problem import multi_objective

if TYPE_CHECKING:
    from collections.abc import Sequence


class MultiObjectiveTSP(ShownParameters, Problem):
    """The travelling salesman problem with several lengths of every edge, as a pymoo problem.

    Tours are rows of integers, evaluated all at once. Rotations and, where all lengths are
    symmetric, reversals of a tour cost the same.

    Parameters
    ----------
    objectives : gpu_ls_plugin.MultiObjectiveTSP, or sequence of TSP or array_like
        As in `gpu_ls_plugin.MultiObjectiveTSP`, which is kept in `tours`.
    metric : str or Metric
        Of objectives that are given as coordinates.

    Raises
    ------
    InvalidProblemError, InvalidTypeError
        As `gpu_ls_plugin.MultiObjectiveTSP` does.
    """

    def __init__(
        self,
        objectives: multi_objective.MultiObjectiveTSP | Sequence[Any],
        metric: Any = "EUC_2D",
    ) -> None:
        if not isinstance(objectives, multi_objective.MultiObjectiveTSP):
            objectives = multi_objective.MultiObjectiveTSP(objectives, metric)
        self.tours = objectives
        super().__init__(
            n_var=objectives.n, n_obj=objectives.n_objectives, xl=0, xu=objectives.n - 1, vtype=int
        )

    def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"] = self.tours.cost(as_tours(rows)).astype(np.float64)

    def name(self) -> str:
        """Return the objectives' names."""
        return self.tours.name or super().name()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable: a saved history of a thousand generations holds one problem
