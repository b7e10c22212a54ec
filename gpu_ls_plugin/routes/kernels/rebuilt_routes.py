"""What kernels that rebuild routes read, and their memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.tours.candidates.nearest import Nearest

if TYPE_CHECKING:
    from gpu_ls_plugin.routes.construction.batch import RouteBatch

HEADER = "routes/kernels/rebuilt_routes.cuh"
NEAR = 32  # nodes to which customers are near: one for each lane of a warp
OPTION_WORDS = constant(HEADER, "kOptionWords")
VEHICLES = struct_of(HEADER, "RebuiltVehicles")
NEAR_NODES = struct_of(HEADER, "NearNodes")
MEMORY = struct_of(HEADER, "RebuiltMemory")


def rebuilt_vehicles(routes: RouteBatch) -> dict[str, Any]:
    """Return the arguments that hold the vehicles, where a search has a metric of its own."""
    its = routes.vehicles
    return {"nodes_data": its["metric_data"], "vehicles": its["words"]}


def rebuilt_arguments(routes: RouteBatch, room: int) -> dict[str, Any]:
    """Return near nodes, and memory for rows of which so many customers may wait."""
    nodes = routes.problem.customers + 1
    nearest = Nearest(min(NEAR, routes.problem.customers))
    near, _, each = nearest.on(routes.backend, routes.problem.nodes)
    return {
        "near": near,
        "near_each": each,
        "room": room,
        "price": -1.0 if routes.problem.penalties is None else routes.problem.penalties.load,
        "after": routes.numbers("int32", 2 * nodes),
        "before": routes.numbers("int32", nodes),
        "owners": routes.numbers("int32", nodes),
        "waiting": routes.numbers("int32", room),
        "loads": routes.numbers("int64", nodes),
        "durations": routes.numbers(routes.time_dtype, nodes),
        "options": routes.numbers("int64", room, OPTION_WORDS),
    }
