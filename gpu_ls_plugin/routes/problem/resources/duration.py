"""The duration of routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.routes.problem import giant_tours
from gpu_ls_plugin.routes.problem.resources.base import Resource

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem

HEADER = "routes/problem/resources/duration.cuh"
WEIGHT = 64  # price of a unit of duration beyond a hard limit, in units of length


class Duration(Resource):
    """The length of a route plus the service times of its customers, up to a limit."""

    name = "duration"
    segments = 1

    def check(self, problem: RoutedProblem) -> None:
        if problem.route_limit is None:
            raise UnsupportedProblemError("problem: durations of its routes are not limited")

    def segment_bytes(self, problem: RoutedProblem) -> int:
        return 8

    def turns(self, problem: RoutedProblem) -> bool:
        return not problem.symmetric

    def functor(self, problem: RoutedProblem) -> str:
        amount = "gls::int64" if problem.service_times.dtype.kind == "i" else "double"
        return f"gls::Duration<{amount}, {str(self.turns(problem)).lower()}>"

    def words(self, backend: Any, problem: RoutedProblem) -> list[Any]:
        services = backend.xp.asarray(problem.service_times)
        limit = problem.tolerated_limit
        assert limit is not None
        real = problem.service_times.dtype.kind == "f"
        data = {
            "services": services,
            "customers": problem.customers,
            "limit": float(limit) if real else int(limit),
        }
        return in_order(HEADER, "DurationData", data)

    def excess(self, problem: RoutedProblem, rows: NDArray[Any]) -> NDArray[Any]:
        durations = giant_tours.route_sums(problem, rows).durations
        excess: NDArray[Any] = giant_tours.beyond_limit(problem, durations).sum(axis=1)
        return excess

    def weight(self, problem: RoutedProblem) -> float:
        """Return a price so high that a violation hardly ever pays."""
        return WEIGHT
