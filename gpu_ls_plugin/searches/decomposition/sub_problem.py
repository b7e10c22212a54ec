"""Some routes of a tour as a vehicle routing problem of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.problems.cvrp import CVRP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Routes = list[list[int]]


@dataclass(frozen=True)
class SubProblem:
    """Customers of some routes and the depot, under the constraints of the whole problem."""

    problem: CVRP  # its fleet is what may be used of the whole one's copies of the depot
    nodes: NDArray[Any]  # (customers + 1,), numbers in the whole problem; the depot's is first
    tour: NDArray[np.int32]  # (n,), the routes

    @classmethod
    def of(cls, whole: CVRP, routes: Sequence[Sequence[int]], vehicles: int) -> Self:
        """Return the problem of some routes, at most `vehicles` of them.

        What constraints of plugins know of customers stays behind: `whole` has none.
        """
        nodes = np.r_[0, np.sort(np.concatenate([np.asarray(route) for route in routes]))]
        given: dict[str, Any] = {
            "service_times": whole.service_times[nodes],
            "route_limit": whole.route_limit,
            "vehicles": vehicles,
            "name": whole.name,
        }
        demands, its = whole.demands[nodes], whole.nodes
        if its.coordinates is None:
            lengths = its.values[np.ix_(nodes, nodes)]
            problem = CVRP.from_matrix(lengths, demands, whole.capacity, **given)
        else:
            points = its.coordinates[nodes]
            problem = CVRP(points, demands, whole.capacity, metric=its.metric, **given)
        if (due := whole.penalties) is not None:
            problem = problem.penalised(due.load, due.duration, due.vehicles)
        numbers = np.empty(whole.customers + 1, np.int64)
        numbers[nodes] = np.arange(len(nodes))
        tour = problem.tour([numbers[np.asarray(route)].tolist() for route in routes])
        return cls(problem, nodes, tour)

    def routes(self, tour: NDArray[Any]) -> Routes:
        """Return the routes of a tour of this problem, customers numbered as in the whole one."""
        return [self.nodes[route].tolist() for route in self.problem.routes(tour)]
