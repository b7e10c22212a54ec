"""Crossing the chains of each instance with edge assembly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.tours.crossovers import assembly_layouts, edge_assembly
from gpu_ls_plugin.tours.crossovers.assembly_layouts import STRATEGIES
from gpu_ls_plugin.tours.crossovers.pair_recombination import PairKernel
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
        layout = assembly_layouts.layout_on(backend, stride, rows)
        self.kernel = crossing_kernel(metric, parts.moves, layout)
        self._costs = backend.xp.empty_like(state.costs)
        self._chains = np.arange(rows, dtype=np.int32).reshape(-1, self._replicas)
        arguments = {
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
            "costs": self._costs,
        }
        own = assembly_layouts.assembly_bytes(stride, 4)
        self._pairs = PairKernel(backend, self.kernel, layout, rows, stride, own, arguments)

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
        state, best = self._state, self._state.best_tours
        distance = 1 + self._generation % (self._replicas - 1)
        partners = self._backend.xp.asarray(np.roll(self._chains, -distance, axis=1).ravel())
        self._costs[:] = state.best_costs
        children = self._pairs.cross(best, best, partners, self._generation, seconds)
        self._generation += 1
        state.adopt(children, self._costs)
