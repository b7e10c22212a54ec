"""A perturbation of routes: ruin and recreate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.routes.construction.batch import RouteBatch, VehiclesType, routes_kernel
from gpu_ls_plugin.routes.kernels.rebuilt_routes import ROWS, rebuilt_arguments
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.kicks.base import KernelPerturbation, Rebuilding

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "routes/removals/ruin_recreate.cuh"
MOST_REMOVED = 1000  # maximum of `removed` and of `longest`
RUIN = (struct_of(HEADER, "Ruin"), ROWS)


def ruin_kernel(metric: Metric, team: str, time: str) -> Kernel:
    """Compose the kernel that ruins and recreates routes."""
    return routes_kernel(
        "ruin_recreate",
        VehiclesType(metric, time),
        header=HEADER,
        body="gls::RuinRecreate<{team}, {vehicles}>",
        parameters=(struct_of(HEADER, "KickedTours"), *RUIN),
        team=team,
    )


def in_chains(metric: Metric, time: str, **arguments: Any) -> Rebuilding:
    """Compose the kick for a kernel of chains; `arguments` are its data, by name."""
    functor = f"gls::RuinRecreate<{{team}}, {VehiclesType(metric, time).functor}>"
    return Rebuilding(functor, HEADER, RUIN, arguments)


@dataclass(frozen=True)
class RuinRecreate(KernelPerturbation):
    """Remove strings of successive customers from routes, and reinsert them by regret.

    A kick draws a customer. Several routes near this customer each lose a string (Christiaens and
    Vanden Berghe 2020). The next customer to insert is the one with the largest regret: how much
    more its best place in another route costs than its best place overall. Kicks respect the
    capacity, the route limit and the fleet: a feasible giant tour stays feasible if all customers
    find a place. Under soft constraints, load beyond the capacity is allowed and costs its penalty.

    Parameters
    ----------
    removed : int
        Average number of customers that a kick removes, 1 to 1000.
    longest : int
        Maximum number of customers in a string, 1 to 1000.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is not an integer from 1 to 1000.
    """

    removed: int = 15
    longest: int = 10

    name = "ruin_recreate"
    rebuilds = True

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "removed", "longest", least=1, most=MOST_REMOVED)

    def problem_of(self, problem: Problem) -> TSP:
        """Return the problem of the giant tours; raise an error if it has no routes."""
        return routing_problem(problem).tsp

    def kicked(self, backend: Backend, problem: TSP, tours: Any, numbers: dict[str, int]) -> Any:
        """Return kicked copies of checked giant tours on a backend; empty routes come last."""
        routes = RouteBatch(backend, routing_problem(problem), len(tours))
        kernel = ruin_kernel(routes.problem.nodes.metric, backend.warp(), routes.type.time)
        own = {"n": problem.n, "tours": tours, **numbers}
        routes.launch(kernel, len(tours), {**self.data(routes), **own})
        return routes.tours()

    def rebuilding(self, backend: Backend, problem: Problem, size: int) -> Rebuilding:
        """Return the kick in C++ for a batch of `size` giant tours."""
        routes = RouteBatch(backend, routing_problem(problem), size)
        kick = in_chains(routes.problem.nodes.metric, routes.type.time, **self.data(routes))
        return replace(kick, kept=routes)

    def data(self, routes: RouteBatch, room: int = 0) -> dict[str, Any]:
        """Return arguments of kernels, with memory for at least `room` removed customers."""
        room = max(4 * self.removed, self.longest, room)
        ruin = {"removed": self.removed, "longest": self.longest}
        return {**ruin, **rebuilt_arguments(routes, room)}
