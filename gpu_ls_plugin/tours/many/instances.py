"""Instances as parts of one problem: their cities, candidates, first tours and costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.core.rows import BLOCK
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.construction.space_filling_curve import LEVELS, hilbert
from gpu_ls_plugin.tours.engines.chains.part_search import TourParts
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.referee import added_up
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.moves.composed import Moves
    from gpu_ls_plugin.tours.problem.metrics import Metric

HEADER = "tours/many/instances.cuh"
DEGREE = 8  # candidates of a city, two from each quadrant, unless it is said otherwise
LIST_TEAMS = {"cpu": "gls::Host", "cuda": "gls::Thread<128>"}


def lists_kernel(metric: Metric, moves: Moves, team: str, degree: int) -> Kernel:
    """Compose the kernel that lists `degree` candidates of a city, of those in its instance."""
    return moves.kernel(
        "instance_lists",
        metric,
        header=HEADER,
        body=f"gls::InstanceLists<{{team}}, {metric.functor}, {{length}}, {moves.lists}, {degree}>",
        parameters=parse_parameters(
            "const void* metric_data, int total, const double* points, int stride, "
            "int degree, const int* sizes, const int* names, void* near, void* near_lengths"
        ),
        team=team,
    )


def cost_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that adds up the lengths of tours of instances."""
    return metric_kernel(
        "instance_cost",
        metric,
        header=HEADER,
        body="gls::InstanceCost<{team}, {metric}>",
        parameters=parse_parameters(
            "const void* metric_data, int total, int stride, int replicas, "
            "const int* sizes, const int* names, const int* tours, void* costs"
        ),
        team=team,
    )


@dataclass(frozen=True)
class _ListsOfParts(Candidates):
    """Stands for candidates where every part has lists of its own."""

    degree: int

    def build(self, problem: TSP) -> Any:
        """Return nothing but that lengths never fall."""
        return SimpleNamespace(sorted=True)

    def on(self, backend: Backend, problem: TSP) -> tuple[Any, Any, int]:
        """Return empty arrays of the types of lists."""
        xp = backend.xp
        return xp.empty(0, "int32"), xp.empty(0, problem.cost_dtype), self.degree


@dataclass(frozen=True, eq=False)
class Instances:
    """Instances of one metric, all of whose cities are one problem's."""

    metric: Metric
    points: NDArray[np.float64]  # (N, 2), cities of all instances, one after the other
    sizes: NDArray[np.int64]  # (B,), cities of each
    rows: NDArray[np.int64]  # (B,), where each stands in what the caller has given

    @cached_property
    def whole(self) -> TSP:
        """All cities as one problem, whose length from one instance to another nobody asks for."""
        return TSP._assemble(self.points, None, self.metric, "", "", None)

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """Number of each instance's first city."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]])

    def composed(
        self, backend: Backend, neighbourhoods: Sequence[Neighbourhood], degree: int = DEGREE
    ) -> CandidateMoves:
        """Return neighbourhoods for all of them on a backend, with so many candidates a city."""
        return CandidateMoves(backend, self.whole, neighbourhoods, _ListsOfParts(degree))

    def names(self, chosen: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the numbers of the cities of some instances, (K, m), filled up with the last."""
        sizes = self.sizes[chosen]
        places = np.minimum(np.arange(sizes.max()), sizes[:, None] - 1)
        names: NDArray[np.int32] = (self.firsts[chosen, None] + places).astype(np.int32)
        return names

    def parts(
        self, backend: Backend, parts: CandidateMoves, chosen: NDArray[np.int64], seconds: float
    ) -> TourParts | None:
        """Return some instances as parts with candidates; None if there is no time for lists."""
        xp, names = backend.xp, self.names(chosen)
        count, stride = names.shape
        degree = parts.arguments["degree"]
        cut = TourParts.empty(xp, count, stride, parts.arguments)
        cut.sizes[:] = xp.asarray(self.sizes[chosen].astype(np.int32))
        cut.names[:] = xp.asarray(names)
        cut.mates[:] = xp.arange(stride, dtype="int32")  # no fixed edges
        arguments = {
            "metric_data": parts.arguments["metric_data"],
            "total": self.whole.n,
            "points": xp.asarray(self.points),
            "stride": stride,
            "degree": degree,
            "sizes": cut.sizes,
            "names": cut.names,
            "near": cut.near,
            "near_lengths": cut.near_lengths,
        }
        kernel = lists_kernel(self.metric, parts.moves, LIST_TEAMS[backend.name], degree)
        complete = backend.launch(kernel, count * stride, arguments, seconds=seconds)
        return cut if complete else None

    def curves(self, backend: Backend, chosen: NDArray[np.int64]) -> Any:
        """Return tours of some instances along a Hilbert curve, on a backend, shape (K, m).

        In the cities' own numbers; behind a tour come the numbers that its instance lacks.
        """
        xp, names = backend.xp, self.names(chosen)
        points = xp.asarray(self.points)[xp.asarray(names)]
        low = points.min(axis=1, keepdims=True)
        extent = (points.max(axis=1, keepdims=True) - low).max(axis=2, keepdims=True)
        extent = xp.where(extent > 0, extent, 1.0)
        cells = ((points - low) / extent * ((1 << LEVELS) - 1)).astype("int64")
        keys = hilbert(xp, cells[:, :, 0], cells[:, :, 1])
        beyond = xp.arange(names.shape[1]) >= xp.asarray(self.sizes[chosen])[:, None]
        keys[beyond] = 1 << (2 * LEVELS)
        return xp.argsort(keys, axis=1, kind="stable").astype("int32")

    def costs(self, backend: Backend, parts: CandidateMoves, cut: TourParts, tours: Any) -> Any:
        """Return what tours (K * R, m) of parts cost, on a backend; float64 sums nearly."""
        costs = backend.xp.empty(len(tours), self.whole.cost_dtype)
        arguments = {
            "metric_data": parts.arguments["metric_data"],
            "total": self.whole.n,
            "stride": tours.shape[1],
            "replicas": len(tours) // len(cut.sizes),
            "sizes": cut.sizes,
            "names": cut.names,
            "tours": tours,
            "costs": costs,
        }
        backend.launch(cost_kernel(self.metric, backend.warp()), len(tours), arguments)
        return costs

    def exact(self, chosen: NDArray[np.int64], tours: NDArray[np.int32]) -> NDArray[Any]:
        """Return the referee's exact costs of tours (K, m) of some instances, on the host."""
        sizes = self.sizes[chosen]
        costs = np.zeros(len(chosen), self.whole.cost_dtype)
        for size in np.unique(sizes[sizes > 1]).tolist():
            (alike,) = np.nonzero(sizes == size)
            step = max(1, BLOCK // size)
            for begin in range(0, len(alike), step):
                rows = alike[begin : begin + step]
                cities = self.firsts[chosen[rows], None] + tours[rows, :size]
                edges = self.metric.lengths(self.whole.values, cities, np.roll(cities, -1, axis=1))
                costs[rows] = added_up(edges)
        return costs
