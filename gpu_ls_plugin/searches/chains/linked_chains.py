"""Chains of one kernel whose kicks change linked lists of routes and need no repair."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.composition import metric_kernel
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.candidates.nearest import Nearest
from gpu_ls_plugin.construction.routes.batch import RouteBatch, vehicles_type
from gpu_ls_plugin.perturbations.rebuilt_routes import VEHICLES, rebuilt_vehicles
from gpu_ls_plugin.problems.cvrp import routing_problem
from gpu_ls_plugin.searches.chains.chains import Chains
from gpu_ls_plugin.tours import tour_layouts
from gpu_ls_plugin.tours.sites import GRID_BYTES, Sites, metric_type

if TYPE_CHECKING:
    from gpu_ls_plugin.acceptance import Acceptance
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves
    from gpu_ls_plugin.perturbations.string_removal import StringRemoval
    from gpu_ls_plugin.problems.metrics import Metric
    from gpu_ls_plugin.searches.chains.start import Start

HEADER = "searches/chains/linked_chain.cuh"
KICKS = "perturbations/string_removal.cuh"
PARAMETERS = (
    struct_of("include/instance.cuh", "Instance"),
    *(struct_of("searches/chains/chain_batch.cuh", name) for name in ("KickSchedule", "ChainBatch")),
    struct_of(HEADER, "LinkedBatch"),
    VEHICLES,
    struct_of(KICKS, "NearCustomers"),
    struct_of(KICKS, "StringRuin"),
)
NEAR = 32  # customers to whom one may go at once: one for each lane of a warp
MOST_WARPS = 16  # of a block, by registers
NOTES_BYTES = 1024  # of shared memory: what the lanes of a chain share
LOOKS = 1000  # at customers after a kick, at most: real numbers might move in a circle
KICKS_AT_FIRST = {"cuda": 200, "cpu": 500}


def list_bytes(nodes: int, routes: int, city_bytes: int, timed: bool) -> int:
    """Return the size of gls::RouteLists."""
    padded = tour_layouts.padded
    lists = 4 * padded(nodes * city_bytes) + padded(4 * nodes)
    lists += padded(routes * city_bytes) + padded(4 * routes)
    if timed:
        lists += padded(8 * nodes) + padded(8 * routes)
    return lists


def chain_bytes(nodes: int, routes: int, city_bytes: int, timed: bool) -> int:
    """Return the memory of a chain: its lists, and bits of those who wait to be looked at."""
    return list_bytes(nodes, routes, city_bytes, timed) + tour_layouts.padded(
        (nodes + 31) // 32 * 4
    )


def linked_shape(
    nodes: int, routes: int, chains: int, shared_memory: int, timed: bool, site_bytes: int
) -> tour_layouts.DescentShape:
    """Return who holds so many chains of a multiprocessor, and where."""
    own = chain_bytes(nodes, routes, 2, timed) + NOTES_BYTES
    sites = tour_layouts.padded(site_bytes * (nodes - routes + 1))
    for warps in range(min(MOST_WARPS, max(1, chains)), 0, -1):
        for with_sites in (True, False):
            if warps * own + with_sites * sites <= shared_memory:
                return tour_layouts.DescentShape(f"gls::Warp<{warps}>", 32, warps, True, with_sites)
    return tour_layouts.DescentShape("gls::Warp<4>", 32, 4, False, False)


def linked_kernel(
    metric: Metric,
    grid: str,
    length: str,
    time: str,
    accept: Acceptance,
    layout: tour_layouts.DescentShape,
    timed: bool,
    symmetric: bool,
) -> Kernel:
    """Compose the search of one chain per team."""
    nodes = metric_type(metric, grid)
    kernel = metric_kernel(
        "linked_chain",
        metric,
        header=HEADER,
        body=f"gls::LinkedChain<{{team}}, {nodes}, {length}, {layout.memory}, "
        f"{vehicles_type(metric.functor, time)}, {str(timed).lower()}, {str(symmetric).lower()}, {accept.functor}>",
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


class LinkedChains(Chains):
    """Chains of one kernel whose kicks need no repair: kick, accept or go back.

    Parameters
    ----------
    start, accept, patience
        As for all chains.
    parts : CandidateMoves
        Neighbourhoods and candidates on the backend, of the descent before.
    kick : StringRemoval
    """

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        parts: CandidateMoves,
        kick: StringRemoval,
    ) -> None:
        super().__init__(start, accept, patience, parts, len(parts.moves.names))
        backend, (size, n), xp = start.backend, start.tours.shape, start.backend.xp
        problem = routing_problem(start.problem)
        objective = start.problem.objective
        self.routes = routes = RouteBatch(backend, problem, size)
        nodes, copies = problem.nodes, problem.copies
        sites, timed = Sites.of(backend, nodes, table=True), problem.route_limit is not None
        near, _, each = Nearest(min(NEAR, problem.customers)).on(backend, nodes)
        layout: tour_layouts.DescentShape = tour_layouts.HostShape.of(n)
        if backend.name != "cpu":
            site_bytes = GRID_BYTES.get(sites.grid, nodes.metric.site_bytes)
            chains = -(-size // backend.processors)
            layout = linked_shape(n, copies, chains, backend.shared_memory, timed, site_bytes)
        self._kernel = linked_kernel(
            nodes.metric, sites.grid, sites.length, routes.time, accept, layout, timed, problem.symmetric
        )
        self._shared_bytes, scratch = 0, None
        if backend.name != "cpu" and layout.in_shared:
            sites_bytes = tour_layouts.padded(site_bytes * nodes.n) if layout.sites_in_shared else 0
            self._shared_bytes = sites_bytes + layout.teams * chain_bytes(n, copies, 2, timed)
        elif backend.name != "cpu":
            scratch = xp.empty((size, chain_bytes(n, copies, 4, timed)), "uint8")
        city_bytes = 2 if layout.in_shared else 4
        if backend.name == "cpu":
            city_bytes = 2 if layout.city == "gls::uint16" else 4
        due = objective.penalties
        self._arguments: dict[str, Any] = {
            **sites.arguments,
            **rebuilt_vehicles(routes),
            **self.state_arguments,
            "ahead": 0,
            "seed": start.seed,
            "first_row": start.first_row,
            "max_moves": start.max_moves,
            "patience": self.patience,
            "window": 0,
            "scratch": scratch,
            "nodes": n,
            "looks": LOOKS,
            "soft": int(problem.penalties is not None),
            "weights": xp.asarray(
                np.array([due.load, due.duration, due.vehicles], problem.cost_dtype)
            ),
            "kept": xp.empty((size, list_bytes(n, copies, city_bytes, timed)), "uint8"),
            "best_after": xp.empty((size, n), "int32"),
            "near": near,
            "near_each": each,
            "removed": kick.removed,
            "longest": kick.longest,
            "split": kick.split,
        }

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Queue one launch."""
        self.start.backend.launch(
            self._kernel,
            len(self.tours),
            {**self._arguments, "until": until, "heat": heat, "cooling": cooling},
            shared_bytes=self._shared_bytes,
            seconds=seconds,
        )

    def first_kicks(self) -> int:
        """Return a number of kicks that surely takes less than a launch should."""
        return KICKS_AT_FIRST[self.start.backend.name]

    def moves_per_look(self) -> int:
        """Return 0: no city is looked at."""
        return 0
