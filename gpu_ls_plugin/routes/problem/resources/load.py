"""The load of vehicles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.routes.problem import giant_tours
from gpu_ls_plugin.routes.problem.resources.base import Resource

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem

HEADER = "routes/problem/resources/load.cuh"


class Load(Resource):
    """The sum of a route's demands, up to the capacity of a vehicle.

    Parameters
    ----------
    demands : int64 array, shape (customers + 1,), optional
        Checked demands of another dimension; by default those of the problem.
    capacity : int, optional
        Its capacity.
    name : str
    """

    name = "load"
    segments = 1
    demands: NDArray[np.int64] | None = None
    capacity: int | None = None

    def __init__(
        self,
        demands: NDArray[np.int64] | None = None,
        capacity: int | None = None,
        name: str = "load",
    ) -> None:
        self.demands = demands
        if capacity is not None:
            self.capacity = checks.integer("capacity", capacity, least=0)
        vars(self)["name"] = name

    def of_nodes(self, nodes: NDArray[np.int64]) -> Load:
        if self.demands is None:
            return self
        return Load(self.demands[nodes], self.capacity, self.name)

    def functor(self, problem: RoutedProblem) -> str:
        return "gls::Load"

    def segment_bytes(self, problem: RoutedProblem) -> int:
        return 4

    def words(self, backend: Any, problem: RoutedProblem) -> list[Any]:
        demands, capacity = self.limited(problem)
        words = backend.xp.asarray(demands.astype("int32"))
        data = {"demands": words, "customers": problem.customers, "capacity": capacity}
        return in_order(HEADER, "LoadData", data)

    def excess(self, problem: RoutedProblem, rows: NDArray[Any]) -> NDArray[Any]:
        demands, capacity = self.limited(problem)
        loads = giant_tours.sums_of(problem, rows, demands)
        excess: NDArray[Any] = np.maximum(loads - capacity, 0).sum(axis=1)
        return excess

    def limited(self, problem: RoutedProblem) -> tuple[NDArray[np.int64], int]:
        """Return the demands (customers + 1,) and the capacity that limits their sums."""
        if self.demands is None or self.capacity is None:
            return problem.demands, problem.capacity
        return self.demands, self.capacity

    def soft_price(self, problem: RoutedProblem) -> float:
        """Return a price at which the excess of a largest demand costs four longest lengths."""
        return 4 * (problem.longest or 1.0) / max(1, int(self.limited(problem)[0].max()))

    def weight(self, problem: RoutedProblem) -> float:
        """Return four times the longest length plus 1: inserting a customer never costs as much."""
        return 4 * problem.longest + 1
