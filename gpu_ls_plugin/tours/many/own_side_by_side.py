"""Chains on many instances of equal size whose lengths are Euclidean and real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.runs.tensors import RowLimits
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.many.side_by_side import (
    FEW_CITIES,
    HEAT,
    HEAT_OF_FEW,
    NEIGHBOURHOODS,
    PERTURBATION,
    SideBySide,
)
from gpu_ls_plugin.tours.problem.metrics import Euclidean
from gpu_ls_plugin.tours.tensors.improvement import Improvement, Lengths, OwnChains
from gpu_ls_plugin.tours.tensors.search_parts import SearchParts

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.many.side_by_side import InstanceBatch

DEGREE = 5  # number of candidates per city: one from each quadrant, and the nearest other one


def has_own_lengths(batch: InstanceBatch) -> bool:
    """Return whether `OwnSideBySide` can search a batch."""
    sizes = batch.instances.sizes[batch.chosen]
    return type(batch.instances.metric) is Euclidean and bool((sizes == sizes[0]).all())


class OwnSideBySide(SideBySide):
    """Chains whose lengths are float32, from coordinates of their own, next to their tours.

    They make more kicks than those of `SideBySide`. The first tours are searched to local optima.
    """

    def __init__(self, backend: Backend, batch: InstanceBatch, seed: int) -> None:
        xp, stride = backend.xp, batch.tours.shape[1]
        self._backend, self._replicas = backend, batch.replicas
        accept = Annealing(HEAT_OF_FEW if stride <= FEW_CITIES else HEAT)
        parts = SearchParts(NEIGHBOURHOODS, DEGREE, True, (PERTURBATION, accept))
        rings = xp.ascontiguousarray(batch.rings(backend), dtype="int32")
        points = xp.asarray(batch.instances.points)[xp.asarray(batch.names)]
        lengths = Lengths(batch.instances.metric, xp.ascontiguousarray(points), stride)
        limits = RowLimits(kicks=1, seed=seed)  # kicks are limited by the stretch
        chains = Improvement(backend, lengths, rings, parts, limits)
        chains.list_candidates(xp.ones(len(batch.chosen), "uint8"))
        chains.descend(rings, xp.zeros(len(rings), "uint8"))
        kernel, valid = chains.kernels.chain, xp.ones(len(rings), "uint8")
        assert kernel is not None
        start: Any = OwnChains(chains, kernel, rings, valid, PERTURBATION, accept, batch.first_row)
        self.state = start
        self.rounds = Rounds(start, Statistics())

    def drive(self, seconds: float, kicks: int | None, after: Callable[[], bool]) -> str:
        return drive(self.rounds, Stretch(seconds, kicks), after, Stopwatch.of(seconds))
