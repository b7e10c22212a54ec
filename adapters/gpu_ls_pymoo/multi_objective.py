"""Tours with several lengths as a pymoo problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pymoo.core import problem as pymoo_problem

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.evolution.batches.rows import as_tours, checked
from gpu_ls_plugin.evolution.recognition import sample_tours
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.tours.fronts.scalarised import weighted_for
from gpu_ls_plugin.tours.fronts.weights import PositionWeights
from gpu_ls_plugin.tours.problem import multi_objective
from gpu_ls_pymoo.recognition import require_own_evaluation
from gpu_ls_pymoo.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_pymoo.view import Weighting


class MultiObjectiveTSPProblem(View, ShownParameters, pymoo_problem.Problem):
    """A travelling salesman problem with several lengths for each edge, as a pymoo problem.

    Tours are rows of integers, evaluated in batches. Rotations of a tour cost the same, and so do
    reversals if all lengths are symmetric.

    Parameters
    ----------
    objectives : gpu_ls_plugin.MultiObjectiveTSP, or sequence of TSP or array_like
        As in `gpu_ls_plugin.MultiObjectiveTSP`. The problem becomes the attribute `tours`.
    metric : str or Metric
        The metric of objectives that are given as coordinates.

    Raises
    ------
    InvalidProblemError, InvalidTypeError
        As in `gpu_ls_plugin.MultiObjectiveTSP`.
    """

    wraps: ClassVar[tuple[type, ...]] = (multi_objective.MultiObjectiveTSP,)
    bare: ClassVar[bool] = False

    def __init__(
        self, objectives: multi_objective.MultiObjectiveTSP | Sequence[Any], metric: Any = "EUC_2D"
    ) -> None:
        if not isinstance(objectives, multi_objective.MultiObjectiveTSP):
            objectives = multi_objective.MultiObjectiveTSP(objectives, metric)
        self.tours = objectives
        super().__init__(
            n_var=objectives.n, n_obj=objectives.n_objectives, xl=0, xu=objectives.n - 1, vtype=int
        )

    def lengths(self) -> multi_objective.MultiObjectiveTSP:
        """Return the lengths that searches of the tours use.

        Raises
        ------
        UnsupportedProblemError
            A subclass evaluates something other than these lengths.
        """
        first = self.tours.objectives[0]
        require_own_evaluation(self, MultiObjectiveTSPProblem, lambda: sample_tours(first))
        return self.tours

    def for_operators(self) -> Problem:
        """Raise UnsupportedProblemError, because there is no single length."""
        raise UnsupportedProblemError(
            "problem: a MultiObjectiveTSPProblem has several lengths, and this operator takes one; "
            "use LocalSearchMutation, MemeticNSGA2, SegmentCrossover or operators of pymoo"
        )

    def for_search(
        self, rows: ArrayLike, weights: Weighting | None, random_state: Generator, backend: str
    ) -> Problem:
        """Return a problem with weights for each row, by default those of `PositionWeights`."""
        rule: Any = PositionWeights() if weights is None else weights
        lengths = self.lengths()
        tours = checked(rows, lengths.n, "tours")
        return weighted_for(lengths, tours, rule, random_state, backend)

    def for_compiling(self, size: int, weights: Weighting) -> Problem:
        """Return a problem with which a search of `size` rows can be compiled."""
        some, ideal = np.ones((size, self.n_obj)), np.zeros(self.n_obj)
        found: Problem = weights.scalarised(self.lengths(), some, ideal)
        return found

    def for_kicks(self) -> Problem:
        """Return a problem with the same cities, for perturbations that do not use lengths."""
        return self.tours.objectives[0]

    def writer(self) -> multi_objective.MultiObjectiveTSP:
        """Return the lengths, which decide whether a tour and its reverse are the same solution."""
        return self.lengths()

    def check_rows(self, rows: ArrayLike, parameter: str) -> NDArray[np.int32]:
        """Return rows of pymoo as tours; raise if a row is not a tour."""
        return checked(rows, self.lengths().n, parameter)

    def fitness(
        self, rows: NDArray[np.int32], costs: NDArray[Any] | None = None
    ) -> NDArray[np.float64] | None:
        """Return the lengths of tours; None if pymoo must evaluate them (subclass, callback)."""
        if "wraps" not in vars(type(self)) or self.callback is not None:
            return None
        return np.asarray(self.tours.cost(rows), dtype=np.float64)

    def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"] = self.tours.cost(as_tours(rows)).astype(np.float64)

    def name(self) -> str:
        """Return the name of the instance."""
        return self.tours.name or super().name()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable, so all generations of a saved history can share it
