"""Cheapest insertion of customers, into one route after another or into all routes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.routes.construction.batch import (
    RouteBatch,
    VehiclesType,
    bytes_of_a_segment,
    construction_kernel,
)
from gpu_ls_plugin.routes.problem.cvrp import routing_problem

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem

BYTES_PER_CITY = 96  # bytes of device memory per city of a row, without segments of resources
ORDERS = {"parallel": "gls::AllRoutes", "sequential": "gls::LastRoute", "solomon": "gls::Solomon"}


def insertion_kernel(vehicles: VehiclesType, team: str, order: str) -> Kernel:
    """Compose the kernel that inserts customers, for an `order` of `cheapest_insertion`."""
    body = f"gls::CheapestInsertion<{{team}}, {{vehicles}}, {ORDERS[order]}>"
    name, header, struct = "cheapest_insertion", "insertion.cuh", "InsertionRows"
    return construction_kernel(name, vehicles, header, struct, body, team)


def cheapest_insertion(
    problem: Problem,
    size: int = 1,
    *,
    order: str = "parallel",
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Construct giant tours by cheapest insertion: the customer with the shortest detour is next.

    In row 0, each route begins with the customer farthest from the depot; if several routes begin
    at once, their initial customers are also far from each other. In all other rows, routes begin
    with random customers. Row r depends only on `seed` and r.

    Parameters
    ----------
    problem : CVRP
    size, seed, backend, device
        As in `random_tours`.
    order : {"parallel", "sequential", "solomon"}
        "parallel" begins the fewest routes that can carry the demand, and inserts customers into
        all of them. "sequential" begins a route when no more customers fit into the previous one.
        "solomon" is the heuristic I1 of Solomon (1987), for problems with time windows. It also
        begins one route at a time; it prefers far customers, and adds the delay of the next
        customer to the detour. Row 0 uses mu = 1, lambda = 2, alpha1 = 1 and alpha2 = 0. All other
        rows draw lambda from 1 to 2 and alpha1 from 1/8 to 1; their routes begin with the farthest
        customers, with those of the earliest deadlines, or with random ones.

    Returns
    -------
    ndarray, shape (size, n), int32
        Rows may be infeasible under the same conditions as those of `savings`.

    Raises
    ------
    InsufficientMemoryError, UnsupportedProblemError
        As in `savings`.
    """
    problem = routing_problem(problem)
    checks.choice("order", order, known=tuple(ORDERS))
    key, chosen = checks.seed(seed), get_backend(backend, device)
    segments = bytes_of_a_segment(problem)
    count = batch_size(chosen, problem.n, size, per_city=BYTES_PER_CITY + segments)
    with chosen.current():
        routes, nodes = RouteBatch(chosen, problem, count), problem.customers + 1
        arguments = {
            "at_once": problem.least_vehicles if order == "parallel" else 1,
            "seed": key,
            "after": routes.numbers("int32", 2 * nodes),
            "owners": routes.numbers("int32", nodes),
            "loads": routes.numbers("int64", nodes),
            "durations": routes.numbers(routes.time_dtype, nodes),
            "paths": routes.numbers("uint8", nodes * segments),
            "waiting": routes.numbers("int32", nodes),
            "detours": routes.numbers(problem.nodes.cost_dtype, nodes),
            "edges": routes.numbers("int32", nodes),
        }
        kernel = insertion_kernel(routes.type, chosen.warp(), order)
        routes.launch(kernel, count, arguments)
        return chosen.to_numpy(routes.tours())
