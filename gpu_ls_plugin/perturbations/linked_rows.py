"""Giant tours as linked lists: who holds the rows of a batch, and the kernel of their chains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import Kernel, metric_kernel
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.backends.tuning import LARGEST_SHORT
from gpu_ls_plugin.candidates.nearest import Nearest
from gpu_ls_plugin.construction.routes.batch import RouteBatch, vehicles_type
from gpu_ls_plugin.objectives.routing import hard_penalties
from gpu_ls_plugin.objectives.under import searched
from gpu_ls_plugin.perturbations.rebuilt_routes import VEHICLES, rebuilt_vehicles
from gpu_ls_plugin.tours.sites import GRID_BYTES, Sites, metric_type
from gpu_ls_plugin.tours.tour_layouts import DescentShape, padded

if TYPE_CHECKING:
    from gpu_ls_plugin.acceptance import Acceptance
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.cvrp import CVRP
    from gpu_ls_plugin.problems.tsp import TSP

HEADER, CHAINS = "searches/chains/linked_chain.cuh", "searches/chains/chain_batch.cuh"
KICK = "perturbations/string_removal.cuh"
PARAMETERS = (
    struct_of("include/instance.cuh", "Instance"),
    *(struct_of(CHAINS, name) for name in ("KickSchedule", "ChainBatch")),
    struct_of(HEADER, "LinkedBatch"),
    VEHICLES,
    *(struct_of(KICK, name) for name in ("NearCustomers", "StringRuin")),
)
NEAR = 32  # customers next to whom one may go: one for each lane of a warp
MOST_WARPS, MOST_REAL_WARPS = 16, 8  # of a block, by registers
NOTES_BYTES = 1024  # of shared memory: what the lanes of a chain share beside its lists
LOOKS = 1000  # at customers after a kick, at most: sums of real numbers might go in circles


def list_bytes(problem: CVRP, city_bytes: int) -> int:
    """Return the size of gls::RouteLists."""
    nodes, routes = problem.n, problem.copies
    lists = 4 * padded(nodes * city_bytes) + padded(4 * nodes)
    lists += padded(routes * city_bytes) + padded(4 * routes)
    if problem.route_limit is not None:
        lists += padded(8 * nodes) + padded(8 * routes)
    return lists


def chain_bytes(problem: CVRP, city_bytes: int) -> int:
    """Return the memory of a chain: its lists, and bits of customers that are to be looked at."""
    return list_bytes(problem, city_bytes) + padded((problem.n + 31) // 32 * 4)


@dataclass(frozen=True)
class LinkedShape(DescentShape):
    """How chains on linked lists are laid out: a warp each.

    `shared` is the dynamic shared memory of a block.
    """

    shared: int = 0

    @classmethod
    def of(cls, problem: CVRP, chains: int, shared_memory: int, site_bytes: int) -> LinkedShape:
        """Return the layout of so many chains of a multiprocessor, as many as fit."""
        own = chain_bytes(problem, 2)
        of_all = padded(site_bytes * problem.n) + padded(4 * (problem.customers + 1))
        most = min(MOST_WARPS if problem.integer else MOST_REAL_WARPS, max(1, chains))
        for warps in range(most, 0, -1) if problem.n <= LARGEST_SHORT else ():
            for sites in (of_all, 0):
                if sites + warps * (own + NOTES_BYTES) <= shared_memory:
                    shared = sites + warps * own
                    return cls(f"gls::Warp<{warps}>", 32, warps, True, sites > 0, shared)
        return cls("gls::Warp<4>", 32, 4, False, False)

    @classmethod
    def of_host(cls, problem: CVRP) -> LinkedShape:
        """Return the layout of a chain for each thread of a CPU; `in_shared` where it is short."""
        return cls("gls::Host", 1, 1, problem.n <= LARGEST_SHORT, False)

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        return self.shared

    @property
    def memory(self) -> str:
        """C++ type of the place where lists are kept."""
        if self.team != "gls::Host":
            return super().memory
        return f"gls::HostMemory<{'gls::uint16' if self.in_shared else 'int'}>"

    @property
    def city_bytes(self) -> int:
        """Of a node's number."""
        return 2 if self.in_shared else 4


def linked_kernel(
    problem: CVRP, grid: str, length: str, time: str, accept: Acceptance, layout: LinkedShape
) -> Kernel:
    """Compose the search of one chain per team."""
    metric, vehicles = searched(problem.tsp), vehicles_type(problem.nodes.metric.functor, time)
    timed, symmetric = (
        str(flag).lower() for flag in (problem.route_limit is not None, problem.symmetric)
    )
    kernel = metric_kernel(
        "linked_chain",
        metric,
        header=HEADER,
        body=f"gls::LinkedChain<{{team}}, {metric_type(metric, grid)}, {length}, {layout.memory}, "
        f"{vehicles}, {timed}, {symmetric}, {accept.functor}>",
        parameters=PARAMETERS,
        team=layout.team,
    )
    return replace(
        kernel,
        prepared=not kernel.on_host,
        headers=(*kernel.headers, accept.header),
        functors=(*kernel.functors, *filter(None, [accept.source()])),
        parts=(*kernel.parts, "string_removal", accept.name),
    )


class LinkedRows:
    """Rows of a batch as kernels of chains hold them.

    Attributes
    ----------
    kernel : Kernel
    arguments : dict
        By name, but for where chains stand and how they go on.
    shared_bytes : int
        Dynamic shared memory of a block.
    """

    def __init__(
        self, backend: Backend, problem: CVRP, tsp: TSP, size: int, accept: Acceptance
    ) -> None:
        xp, due = backend.xp, problem.penalties or hard_penalties(problem)
        self.routes = routes = RouteBatch(backend, problem, size)
        sites = Sites.of(backend, tsp, table=True)
        near, _, each = Nearest(min(NEAR, problem.customers)).on(backend, problem.nodes)
        layout = LinkedShape.of_host(problem)
        if backend.name != "cpu":
            site_bytes = GRID_BYTES.get(sites.grid, tsp.metric.site_bytes)
            chains = -(-size // backend.processors)
            layout = LinkedShape.of(problem, chains, backend.shared_memory, site_bytes)
        self.kernel = linked_kernel(problem, sites.grid, sites.length, routes.time, accept, layout)
        self.shared_bytes = layout.shared_bytes(problem.n)
        outside = backend.name != "cpu" and not layout.in_shared
        self.arguments: dict[str, Any] = {
            **sites.arguments,
            **rebuilt_vehicles(routes),
            "ahead": 0,
            "window": 0,
            "looks": LOOKS,
            "soft": int(problem.penalties is not None),
            "weights": xp.asarray(
                np.array([due.load, due.duration, due.vehicles], problem.cost_dtype)
            ),
            "scratch": xp.empty((size, chain_bytes(problem, 4)), "uint8") if outside else None,
            "kept": xp.empty((size, list_bytes(problem, layout.city_bytes)), "uint8"),
            "best_after": xp.empty((size, problem.n), "int32"),
            "near": near,
            "near_each": each,
        }
