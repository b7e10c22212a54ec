"""Edge assembly of routes (Nagata and Bräysy 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.routes.crossovers.route_recombination import RouteRecombination
from gpu_ls_plugin.routes.kernels.linked_rows import NEAR
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.crossovers.pair_recombination import PAIRS, PairWorkspace
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "routes/crossovers/route_edge_assembly.cuh"


@dataclass(frozen=True)
class RouteEdgeAssembly(RouteRecombination):
    """Replace edges of one solution by edges of another one along an AB-cycle.

    An AB-cycle alternates between edges that only the first parent has and edges that only the
    second parent has. This is edge assembly for vehicle routing with the single strategy (Nagata
    and Bräysy 2009). All copies of the depot are one node, and an empty route is a loop at this
    node. Subtours without the depot are removed, the smallest first: the best exchange of two edges
    between near nodes joins each one to another subtour or a route, or makes it a new route if a
    vehicle is left. All other edges come from the parents, and a route has the direction that most
    of its customers have in the first parent. The crossover ignores load, duration and further
    resources, so a search has to repair the child. Lengths must be symmetric.

    Parameters
    ----------
    every, generations
        See `Recombination`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    name = "route_edge_assembly"
    reverses = True

    def bytes_per_tour(self, n: int) -> int:
        """Return the maximum device memory of a pair in bytes, which one depot copy needs."""
        return 4 * n + 64 + pair_bytes(n, 4, n - 1)

    def workspace(
        self,
        backend: Backend,
        problem: TSP,
        size: int,
        *,
        seed: int,
        first_row: int = 0,
        parts: CandidateMoves | None = None,
    ) -> PairWorkspace:
        """Return the kernel and memory for batches of `size` pairs."""
        routed = routing_problem(problem)
        near, _, each = Nearest(min(NEAR, routed.customers)).on(backend, routed.nodes)
        arguments: dict[str, Any] = {
            "seed": seed,
            "first_row": first_row,
            "customers": routed.customers,
            "near": near,
            "near_each": each,
        }
        kernel = partial(assembly_kernel, problem.metric)
        own = partial(pair_bytes, customers=routed.customers)
        return PairWorkspace(backend, problem, size, kernel, own, arguments)


def pair_bytes(n: int, city_bytes: int, customers: int) -> int:
    """Return how many bytes of memory a pair needs: gls::RouteEdgeAssembly::bytes on the host."""
    nodes, copies = customers + 1, n - customers
    graphs = 3 * padded(2 * nodes * city_bytes) + 2 * padded(2 * copies * city_bytes)
    return graphs + padded(2 * nodes * 4) + 2 * padded((2 * nodes + 1) * city_bytes)


def assembly_kernel(metric: Metric, layout: ChainShape) -> Kernel:
    """Compose the kernel in which each team crosses one pair."""
    body = f"gls::RouteEdgeAssembly<{{team}}, {{metric}}, {layout.memory}>"
    parameters = (
        *parse_parameters("const void* metric_data, int n, int customers"),
        PAIRS,
        struct_of("routes/kernels/near_nodes.cuh", "NearNodes"),
    )
    return metric_kernel(RouteEdgeAssembly.name, metric, HEADER, body, parameters, layout.team)
