"""Crossing the chains of each instance with edge assembly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.tours.crossovers import assembly_layouts, edge_assembly
from gpu_ls_plugin.tours.crossovers.assembly_layouts import STRATEGIES
from gpu_ls_plugin.tours.kernels.sites import metric_type

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState
    from gpu_ls_plugin.tours.engines.chains.part_search import TourParts
    from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves, Moves
    from gpu_ls_plugin.tours.problem.metrics import Metric

HEADER = "tours/many/crossing.cuh"
PARAMETERS = (*edge_assembly.PARAMETERS, struct_of(HEADER, "PairedInstances"))
STRATEGY = STRATEGIES["single"]
OFFSPRING = 32  # maximum number of offspring per pair
GENERATIONS = 10  # maximum number of generations per call of `cross_all`


def crossing_kernel(metric: Metric, moves: Moves, layout: ChainShape) -> Kernel:
    """Compose the kernel that crosses pairs of tours of the same instance."""
    body = (
        f"gls::InstanceAssembly<{{team}}, {metric_type(metric, moves.grid)}, {{length}}, "
        f"{layout.memory}, {STRATEGY.functor}>"
    )
    kernel = moves.kernel("instance_crossing", metric, HEADER, body, PARAMETERS, layout.team)
    return replace(kernel, headers=(*kernel.headers, STRATEGY.header))


def _layout(backend: Backend, n: int, pairs: int) -> ChainShape:
    if backend.name == "cpu":
        return assembly_layouts.host_shape(n)
    per_processor = -(-pairs // backend.processors)
    return assembly_layouts.assembly_shape(n, per_processor, backend.shared_memory)


class Crossing:
    """Crosses the chains of each instance with edge assembly.

    `cut` contains the instances and their candidate lists; `parts` are the moves that use the
    lists. `state` contains the chains: the same number for each instance, at least two. Chain c
    uses the random numbers of row `first_row` + c.
    """

    def __init__(
        self,
        backend: Backend,
        metric: Metric,
        parts: CandidateMoves,
        cut: TourParts,
        state: ChainState,
        seed: int,
        first_row: int,
    ) -> None:
        rows, stride = state.tours.shape
        self._backend, self._state, self._generation = backend, state, 0
        self._replicas = rows // len(cut.sizes)
        xp, layout = backend.xp, _layout(backend, stride, rows)
        self.kernel = crossing_kernel(metric, parts.moves, layout)
        self._shared_bytes, scratch = layout.shared_bytes(stride), None
        if backend.name != "cpu" and not layout.in_shared:
            scratch = xp.empty((rows, assembly_layouts.assembly_bytes(stride, 4)), "uint8")
        self._children, self._costs = xp.empty_like(state.tours), xp.empty_like(state.costs)
        self._chains = np.arange(rows, dtype=np.int32).reshape(-1, self._replicas)
        self._arguments: dict[str, Any] = {
            **parts.arguments,
            "candidates": cut.near,
            "candidate_lengths": cut.near_lengths,
            "seed": seed,
            "first_row": first_row,
            "offspring": OFFSPRING,
            "stride": stride,
            "replicas": self._replicas,
            "sizes": cut.sizes,
            "names": cut.names,
            "children": self._children,
            "costs": self._costs,
            "scratch": scratch,
        }

    def cross_all(self, seconds: float) -> None:
        """Cross the chains' best tours for a few generations; begin none after `seconds`.

        A chain continues from its child if the child is cheaper.
        """
        watch = Stopwatch.of(seconds)
        for _ in range(min(GENERATIONS, self._replicas - 1)):
            if watch.left > 0:
                self._cross(watch.left)
                self._backend.wait()  # so that the clock counts the work

    def _cross(self, seconds: float) -> None:
        state, xp = self._state, self._backend.xp
        distance = 1 + self._generation % (self._replicas - 1)
        partners = xp.asarray(np.roll(self._chains, -distance, axis=1).ravel())
        self._children[:], self._costs[:] = state.best_tours, state.best_costs
        arguments = {
            **self._arguments,
            "first": state.best_tours,
            "second": state.best_tours,
            "partners": partners,
            "generation": self._generation,
        }
        launch, shared = self._backend.launch, self._shared_bytes
        launch(self.kernel, len(partners), arguments, shared_bytes=shared, seconds=seconds)
        self._generation += 1
        state.adopt(self._children, self._costs)
