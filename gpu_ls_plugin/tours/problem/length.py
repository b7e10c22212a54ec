"""The length of a tour alone: the objective of every problem that names no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.problem.objective import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem


class Length(Objective):
    """Nothing is added to the length; kernels are those without an objective."""

    name = "length"
    functor = "gls::LengthObjective"
    length_alone = by_edges = True

    def most(self, problem: Problem) -> float:
        """Return 0."""
        return 0.0

    def costs(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return zeros."""
        return np.zeros(len(rows), dtype=problem.cost_dtype)

    def __repr__(self) -> str:
        return "Length()"
