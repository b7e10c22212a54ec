"""Chains on many instances of equal size whose lengths are Euclidean and real."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.runs.tensors import RowLimits
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.many.crossing import Crossing
from gpu_ls_plugin.tours.many.side_by_side import (
    FEW_CITIES,
    HEAT,
    HEAT_OF_FEW,
    PERTURBATION,
    SideBySide,
    moves_of,
)
from gpu_ls_plugin.tours.problem.metrics import Euclidean
from gpu_ls_plugin.tours.tensors.improvement import Improvement, Lengths, OwnChains
from gpu_ls_plugin.tours.tensors.search_parts import SearchParts

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.engines.chains.part_search import TourParts
    from gpu_ls_plugin.tours.many.side_by_side import InstanceBatch

DEGREE = 5  # number of candidates per city: one from each quadrant, and the nearest other one


def has_own_lengths(batch: InstanceBatch) -> bool:
    """Return whether `OwnSideBySide` can search a batch."""
    sizes = batch.instances.sizes[batch.chosen]
    return type(batch.instances.metric) is Euclidean and bool((sizes == sizes[0]).all())


class OwnSideBySide(SideBySide):
    """Chains whose lengths are float32, from coordinates of their own, next to their tours.

    They make more kicks than those of `SideBySide`. `cut` is for crossings, if there are any.
    """

    def __init__(
        self, backend: Backend, batch: InstanceBatch, cut: TourParts | None, seed: int
    ) -> None:
        assert batch.parts is not None
        xp, stride, instances = backend.xp, batch.tours.shape[1], batch.instances
        self._backend, self._replicas = backend, batch.replicas
        accept = Annealing(HEAT_OF_FEW if stride <= FEW_CITIES else HEAT)
        neighbourhoods, _ = moves_of(backend, None)
        parts = SearchParts(tuple(neighbourhoods), DEGREE, True, (PERTURBATION, accept))
        rings = xp.ascontiguousarray(batch.rings(backend), dtype="int32")
        points = xp.asarray(instances.points)[xp.asarray(instances.names(batch.chosen))]
        lengths = Lengths(instances.metric, xp.ascontiguousarray(points))
        limits = RowLimits(kicks=1, seed=seed)  # kicks are limited by the stretch
        chains = Improvement(backend, lengths, rings, parts, limits, batch.first_row)
        chains.array("usable").fill(1)
        chains.take()
        if backend.name == "cuda":  # a CPU gains more from kicks in this time
            chains.descend()
        self.state: Any = OwnChains(chains)
        self.rounds = Rounds(self.state, Statistics())
        if cut is not None:
            others = cut, self.state, seed, batch.first_row
            self._crossing = partial(Crossing, backend, instances.metric, batch.parts, *others)
