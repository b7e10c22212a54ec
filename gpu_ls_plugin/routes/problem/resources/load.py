"""The load of vehicles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.routes.problem import giant_tours
from gpu_ls_plugin.routes.problem.resources.base import Resource

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem

HEADER = "routes/problem/resources/load.cuh"


class Load(Resource):
    """The sum of a route's demands, up to the capacity of a vehicle."""

    name = "load"
    segments = 1

    def functor(self, problem: RoutedProblem) -> str:
        """Return gls::Load."""
        return "gls::Load"

    def segment_bytes(self, problem: RoutedProblem) -> int:
        """Return 4."""
        return 4

    def words(self, backend: Any, problem: RoutedProblem) -> list[Any]:
        """Return the words of gls::LoadData."""
        demands = backend.xp.asarray(problem.demands.astype("int32"))
        data = {"demands": demands, "customers": problem.customers, "capacity": problem.capacity}
        return in_order(HEADER, "LoadData", data)

    def excess(self, problem: RoutedProblem, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the total load of each row's routes beyond the capacity, shape (P,)."""
        loads = giant_tours.route_sums(problem, rows).loads
        excess: NDArray[Any] = np.maximum(loads - problem.capacity, 0).sum(axis=1)
        return excess

    def weight(self, problem: RoutedProblem) -> float:
        """Return four times the longest length plus 1: inserting a customer never costs as much."""
        return 4 * problem.longest + 1
