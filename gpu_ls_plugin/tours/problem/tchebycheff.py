"""An objective: the weighted Tchebycheff distance of a tour's costs from an ideal point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import row_type
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.objective import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Tchebycheff(Objective):
    """The weighted Tchebycheff distance of the costs in several objectives (Bowman 1976).

    Row r costs ``max(weights[r] * (costs - ideal))`` over the objectives. `weights` (P, M) are at
    least 0; `functors` are the C++ metrics of the objectives. Each tour of a front is optimal for
    some weights; weighted sums find only those on the convex hull of the front.
    """

    name = "tchebycheff"
    header = "tours/problem/tchebycheff.cuh"

    def __init__(
        self,
        weights: NDArray[np.float64],
        ideal: NDArray[np.float64],
        functors: tuple[str, ...],
    ) -> None:
        self.weights, self.ideal = weights, ideal
        vars(self)["functor"] = f"gls::Tchebycheff<{', '.join(functors)}>"

    def costs(self, problem: Any, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return the distances of tours (P, n) from the ideal point."""
        apart = np.stack([part.cost(rows) for part in problem.parts], axis=1) - self.ideal
        distances: NDArray[Any] = (self.weights * apart).max(axis=1)
        return distances

    def row_words(self, backend: Any, problem: Any) -> tuple[NDArray[np.uint64], Any]:
        """Return the words of each row, and the arrays on the backend to which they point."""
        size, objectives = self.weights.shape
        sums = backend.xp.zeros((size, 2 * objectives))
        rows = np.empty(
            size, row_type(Tchebycheff.header, "TchebycheffData", kObjectives=objectives)
        )
        rows["metric_data"] = [backend.address(metric_data(backend, p)) for p in problem.parts]
        rows["weights"], rows["ideal"] = self.weights, self.ideal
        rows["sums"] = backend.address(sums) + sums.strides[0] * np.arange(size, dtype=np.uint64)
        return rows.view(np.uint64).reshape(size, -1), sums
