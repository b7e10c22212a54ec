"""Giant tours as linked lists: launch layouts and arguments of kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.routes.construction.batch import (
    RouteBatch,
    VehiclesType,
)
from gpu_ls_plugin.routes.kernels.linked_layouts import (
    LinkedShape,
    list_bytes,
    row_bytes,
    segment_bytes,
)
from gpu_ls_plugin.routes.kernels.near_nodes import near_nodes
from gpu_ls_plugin.routes.problem.routing import hard_penalties
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.kernels.sites import GRID_BYTES, Sites, metric_type
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.backends.structs import Struct
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

INSTANCE = struct_of("tours/problem/instance.cuh", "Instance")
LINKED_PROBLEM, INSTANCES_OF_ROWS = (
    struct_of("routes/kernels/linked_row.cuh", name)
    for name in ("LinkedProblem", "InstancesOfRows")
)
ONE_PROBLEM, OWN_INSTANCE = "gls::SharedProblem", "gls::OwnProblem"  # scopes of rows
NEAR = 32  # maximum number of near nodes per customer, one for each lane of a warp
MOST_DEMAND = 2**31 - 1  # largest total demand: loads have 32 bits


@dataclass(frozen=True)
class LinkedTypes:
    """The C++ types of a kernel on linked lists.

    `metric` is that of searches; `grid` and `length` are those of `Sites`. Routes have `timed`
    durations if these are limited, and are `symmetric` if their directions do not matter.
    """

    metric: Metric
    grid: str
    length: str
    layout: LinkedShape
    vehicles: VehiclesType
    timed: bool = False
    symmetric: bool = True
    scope: str = ONE_PROBLEM

    @classmethod
    def of(cls, problem: CVRP, grid: str, length: str, layout: LinkedShape) -> Self:
        """Return the types of a search of one problem."""
        flags = problem.route_limit is not None, problem.reversible
        vehicles = VehiclesType.of(problem)
        return cls(search_metric(problem.tsp), grid, length, layout, vehicles, *flags)

    def kernel(
        self, header: str, template: str, *, own: Sequence[Struct], more: Sequence[str] = ()
    ) -> Kernel:
        """Compose a kernel with one row per team, named after its header.

        `own` are the kernel's parameters after those of the problem; `more` are the last arguments
        of the C++ `template`.
        """
        layout = self.layout
        flags = (str(flag).lower() for flag in (self.timed, self.symmetric))
        metric = metric_type(self.metric, self.grid)
        types = (self.scope, metric, self.length, layout.memory, self.vehicles.functor, *flags)
        body = f"gls::{template}<{{team}}, {', '.join((*types, *more))}>"
        alone = self.scope == ONE_PROBLEM
        parameters = (INSTANCE, LINKED_PROBLEM, *own, *(() if alone else (INSTANCES_OF_ROWS,)))
        name = Path(header).stem
        kernel = metric_kernel(name, self.metric, header, body, parameters, layout.team)
        blocks = layout.blocks
        prepared = not kernel.on_host and alone
        return replace(kernel, prepared=prepared, blocks_per_multiprocessor=blocks)


class LinkedRows:
    """Launch layout and arguments of kernels on a batch of `size` rows.

    `tsp` is the problem of the giant tours. Customers may move next to the nodes on their `near`
    lists; by default, a list has one node for each lane of a warp (`near_nodes`). `kinds` is the
    number of kinds of moves. In `uneven` batches, some rows take much longer than others. All
    kernels take `arguments`; a block needs `shared_bytes` bytes of dynamic shared memory.
    """

    def __init__(
        self,
        backend: Backend,
        problem: CVRP,
        tsp: TSP,
        size: int,
        near: Candidates | None = None,
        *,
        kinds: int = 1,
        uneven: bool = False,
    ) -> None:
        xp, due = backend.xp, problem.penalties or hard_penalties(problem)
        self._problem, self._size = problem, size
        self.routes = routes = RouteBatch(backend, problem, size)
        self._sites = sites = Sites.of(backend, tsp, table=True)
        each = min(NEAR, problem.customers)
        if near is None and problem.resources:
            listed = xp.asarray(near_nodes(problem, each))
        else:
            listed, _, each = (near or Nearest(each)).on(backend, problem.nodes)
        self.layout = LinkedShape.of_host(problem)
        if backend.name != "cpu":
            site_bytes = GRID_BYTES.get(sites.grid, tsp.metric.site_bytes)
            rows, room = max(1, -(-size // backend.processors)), backend.shared_memory
            self.layout = LinkedShape.of(
                problem, rows, room, site_bytes, kinds=kinds, uneven=uneven
            )
        self.shared_bytes = self.layout.shared_bytes(problem.n)
        outside = backend.name != "cpu" and not self.layout.in_shared
        self.arguments: dict[str, Any] = {
            **sites.arguments,
            **routes.vehicles,
            "soft": int(problem.penalties is not None),
            "weights": xp.asarray(
                np.array([due.load, due.duration, due.vehicles], problem.cost_dtype)
            ),
            "scratch": xp.empty((size, row_bytes(problem, 4, kinds)), "uint8") if outside else None,
            "near": listed,
            "near_each": each,
            "segments": xp.empty((size, segment_bytes(problem)), "uint8"),
        }

    @property
    def types(self) -> LinkedTypes:
        """C++ types of kernels."""
        return LinkedTypes.of(self._problem, self._sites.grid, self._sites.length, self.layout)

    def of_chains(self, looks: int) -> dict[str, Any]:
        """Return the arguments that only chains take; `looks` limits the looks after a kick."""
        xp, problem = self.routes.backend.xp, self._problem
        bytes_each = list_bytes(problem, self.layout.city_bytes)
        return {
            "ahead": 0,
            "window": 0,
            "looks": looks,
            "kept": xp.empty((self._size, bytes_each), "uint8"),
            "best_after": xp.empty((self._size, problem.n), "int32"),
        }


def check_total_demand(problem: CVRP) -> None:
    """Raise UnsupportedProblemError if linked lists cannot hold the loads of a problem."""
    if (total := int(problem.demands.sum())) > MOST_DEMAND:
        raise UnsupportedProblemError(
            f"demands: their total of {total:,} is more than {MOST_DEMAND:,}; divide demands and "
            "capacity by a common factor"
        )
