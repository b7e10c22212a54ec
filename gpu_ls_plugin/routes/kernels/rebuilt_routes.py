"""Arguments of kernels that rebuild routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.tours.candidates.nearest import Nearest

if TYPE_CHECKING:
    from gpu_ls_plugin.routes.construction.batch import RouteBatch

HEADER = "routes/kernels/rebuilt_routes.cuh"
NEAR = 32  # maximum number of near nodes per customer, one for each lane of a warp
OPTION_WORDS = constant(HEADER, "kOptionWords")
ROWS = struct_of(HEADER, "RebuiltRows")


def rebuilt_arguments(routes: RouteBatch, room: int) -> dict[str, Any]:
    """Return arguments of gls::RebuiltRows, with memory for `room` removed customers per row."""
    nodes = routes.problem.customers + 1
    nearest = Nearest(min(NEAR, routes.problem.customers))
    near, _, each = nearest.on(routes.backend, routes.problem.nodes)
    return {
        **routes.vehicles,
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
