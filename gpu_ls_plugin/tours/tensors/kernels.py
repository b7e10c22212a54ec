"""The kernels that improve rows of instances with separate data, and their launch layouts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import Arguments, struct_of
from gpu_ls_plugin.backends.tuning import LARGEST_SHORT, ONE_THREAD, padded
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_kernel import chain_kernel, chain_layout
from gpu_ls_plugin.tours.engines.descent.city_descent import descent_kernel
from gpu_ls_plugin.tours.engines.descent.descent_layouts import NOTES_BYTES, descent_shape
from gpu_ls_plugin.tours.engines.scopes import OWN_INSTANCE, PROBLEMS
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.kernels.tour_layouts import DescentShape, HostShape, survivor_bytes
from gpu_ls_plugin.tours.moves.composed import Moves, chain_needs
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.metrics import Metric

ROWS, LISTS = "tours/tensors/given_rows.cuh", "tours/tensors/own_lists.cuh"
LENGTH = "float"  # type of sums of lengths in a search; costs of rows are float64
INSTANCE = (struct_of("tours/problem/instance.cuh", "Instance"), *PROBLEMS[OWN_INSTANCE])
OWN_WARPS = (4, 2, 1)  # warps of a block share nothing, and small blocks end sooner
ITEMS = {"int32": "int", "int64": "gls::int64"}  # types of rows


@dataclass(frozen=True)
class OwnShape(DescentShape):
    """The layout of descents whose rows have instances, and therefore sites, of their own."""

    site_bytes: int = tour_layouts.SITE_BYTES

    def shared_bytes(self, n: int) -> int:
        return self.teams * own_bytes(n, 2, self.site_bytes) if self.in_shared else 0


def own_bytes(n: int, city_bytes: int, site_bytes: int) -> int:
    """Return the bytes of a row's tour and sites in a descent."""
    return tour_layouts.tour_bytes(n, city_bytes) + padded(n * site_bytes)


def own_shape(n: int, tours: int, shared_memory: int, site_bytes: int) -> OwnShape:
    """Return the layout of descents on n cities, with `tours` rows per multiprocessor."""
    own = own_bytes(n, 2, site_bytes)

    def fitting(warps: int) -> bool:
        scouts = 2 * 32 * warps * survivor_bytes(4)
        return n <= LARGEST_SHORT and warps * own + scouts + NOTES_BYTES <= shared_memory

    warps = next((w for w in OWN_WARPS if w <= max(1, tours) and fitting(w)), 0)
    if warps > 1 or (warps and n <= 1000):
        return OwnShape(f"gls::Warp<{warps}>", 32, warps, True, False, site_bytes)
    usual = descent_shape(n, tours, shared_memory, "block")
    in_shared = usual.in_shared and fitting(usual.lanes // 32)
    return OwnShape(usual.team, usual.lanes, 1, in_shared, False, site_bytes)


@cache
def with_one_struct(kernel: Kernel) -> Kernel:
    """Return a kernel that takes all its parameters as one struct, which a launch passes faster.

    For equal kernels, it is the same object, so that backends find it without a comparison.
    """
    return replace(kernel, parameters=(Arguments.of(kernel.parameters),))


def row_kernel(name: str, struct: str, body: str, metric: Metric, team: str) -> Kernel:
    """Compose a kernel of given_rows.cuh."""
    parameters = (*INSTANCE, struct_of(ROWS, struct))
    return with_one_struct(metric_kernel(name, metric, ROWS, body, parameters, team))


@dataclass(frozen=True)
class Kernels:
    """The kernels for instances of n cities, and what their launches need besides arrays.

    `begin` and `chain` are for kicks; all others belong to each call.
    """

    check: Kernel
    take: Kernel
    lists: Kernel
    descent: Kernel
    begin: Kernel
    chain: Kernel | None
    give: Kernel
    shape: DescentShape
    chain_shared: int
    ahead: tuple[int, int]  # cities that a descent, and a chain, looks at together
    site_bytes: int
    arguments: tuple[tuple[str, Any], ...]  # constant ones, by name

    def all(self) -> list[Kernel]:
        """Return all kernels."""
        steps = (self.check, self.take, self.lists, self.descent, self.begin, self.give)
        return [*steps, *([] if self.chain is None else [self.chain])]


@cache
def kernels_of(
    backend: tour_layouts.Machine,
    metric: Metric,
    neighbourhoods: Sequence[Neighbourhood],
    degree: int,
    quadrants: bool,
    n: int,
    per_processor: int,
    item: str,
    kick: tuple[Perturbation, Acceptance] | None,
) -> Kernels:
    """Compose the kernels for instances of n cities, with some rows per multiprocessor.

    `kick` is None if rows are not kicked; `item` is the type of the caller's rows.
    """
    moves = Moves.of(neighbourhoods, symmetric=True, length=LENGTH)
    breadth = max(part.first_breadth(degree) for part in neighbourhoods)
    needs = chain_needs(metric, moves, neighbourhoods)
    team = backend.warp() if n <= 1000 else backend.block(256)
    shape: DescentShape = HostShape.of(n)
    if backend.name != "cpu":
        shape = own_shape(n, per_processor, backend.shared_memory, needs.site_bytes)
    descent = descent_kernel(metric, moves, shape.team, shape.memory, scope=OWN_INSTANCE)
    chain, shared, ahead = None, 0, shape.ahead(2 * breadth) if backend.name != "cpu" else 1
    chain_ahead = 1
    if kick is not None:
        layout = chain_layout(backend, needs, n, chain_layouts.part_shape)
        chain = chain_kernel(metric, moves, *kick, layout, OWN_INSTANCE)
        shared, chain_ahead = layout.shared_bytes(n), layout.ahead(2 * breadth)
    few = f"gls::OwnLists<{{team}}, {{metric}}, {LENGTH}, {moves.lists}, {degree}, "
    lists = metric_kernel(
        "own_lists",
        metric,
        LISTS,
        f"{few}{str(quadrants).lower()}>",
        (*INSTANCE, struct_of(LISTS, "OwnedLists")),
        ONE_THREAD[backend.name],
    )
    own, rows = "{team}, {metric}", f"{{team}}, {ITEMS[item]}"
    return Kernels(
        check=row_kernel(
            "check_instance", "CheckedInstances", f"gls::CheckInstance<{own}>", metric, team
        ),
        take=row_kernel("take_row", "GivenRows", f"gls::TakeRow<{rows}>", metric, team),
        lists=with_one_struct(lists),
        descent=with_one_struct(descent),
        begin=row_kernel("begin_chain", "BegunChains", f"gls::BeginChain<{own}>", metric, team),
        chain=None if chain is None else with_one_struct(chain),
        give=row_kernel(
            "return_row", "ReturnedRows", f"gls::ReturnRow<{own}, {ITEMS[item]}>", metric, team
        ),
        shape=shape,
        chain_shared=shared,
        ahead=(ahead, chain_ahead),
        site_bytes=needs.site_bytes,
        arguments=(
            *(("sites", None), ("error_absolute", 0.0), ("error_relative", 0.0)),
            *(("degree", degree), ("sorted", 1), ("directions", 2), ("breadth", breadth)),
        ),
    )
