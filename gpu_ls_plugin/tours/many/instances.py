"""Many instances as one problem: their cities, candidates, initial tours, optima and costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.backends.tuning import ONE_THREAD
from gpu_ls_plugin.core.rows import BLOCK
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.construction.space_filling_curve import LEVELS, hilbert
from gpu_ls_plugin.tours.engines.chains.part_search import TourParts
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.referee import row_sums
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.moves.composed import Moves
    from gpu_ls_plugin.tours.problem.metrics import Metric

HEADER = "tours/many/instances.cuh"
ROWS = struct_of(HEADER, "InstanceRows")
DEGREE = 8  # default number of candidates per city, two from each quadrant
SMALLEST_SEARCHED = 8  # instances with fewer cities are solved by enumeration
BLOCK_ENTRIES = 1 << 22  # maximum number of edges in memory at a time
# Each city has one thread that lists its candidates.
# Up to so many cities, a Hilbert curve takes the host some 8 ms; CuPy compiles 21 kernels for it,
# which took 2 s of a first call on an H200.
CURVES_ON_HOST = 1 << 14


def lists_kernel(metric: Metric, moves: Moves, team: str, degree: int) -> Kernel:
    """Compose the kernel that lists `degree` candidates of each city within its instance."""
    body = f"gls::InstanceLists<{{team}}, {metric.functor}, {{length}}, {moves.lists}, {degree}>"
    parameters = (ROWS, struct_of(HEADER, "ListedCities"))
    return moves.kernel("instance_lists", metric, HEADER, body, parameters, team)


def cost_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that computes the costs of the instances' tours."""
    body = "gls::InstanceCost<{team}, {metric}>"
    parameters = (ROWS, struct_of(HEADER, "InstanceTours"))
    return metric_kernel("instance_cost", metric, HEADER, body, parameters, team)


@dataclass(frozen=True)
class _ListsOfParts(Candidates):
    """A placeholder for candidate lists, since each part has separate lists."""

    degree: int

    def build(self, problem: TSP) -> Any:
        """Return an object whose only attribute says that lists are sorted by length."""
        return SimpleNamespace(sorted=True)

    def on(self, backend: Backend, problem: TSP) -> tuple[Any, Any, int]:
        """Return empty arrays of the types of candidate lists, and the degree."""
        xp = backend.xp
        return xp.empty(0, "int32"), xp.empty(0, problem.cost_dtype), self.degree


@dataclass(frozen=True, eq=False)
class Instances:
    """Instances with the same metric, stored as one problem with all their cities."""

    metric: Metric
    points: NDArray[np.float64]  # (N, 2), cities of all instances, one after the other
    sizes: NDArray[np.int64]  # (B,), number of cities of each instance
    rows: NDArray[np.int64]  # (B,), index of each instance in the caller's input

    @cached_property
    def whole(self) -> TSP:
        """All cities as one problem; lengths between instances are never used."""
        return TSP._assemble(self.points, None, self.metric, "", "", None)

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """Number of each instance's first city."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]])

    def composed(
        self, backend: Backend, neighbourhoods: Sequence[Neighbourhood], degree: int = DEGREE
    ) -> CandidateMoves:
        """Compose neighbourhoods for all instances, with `degree` candidates per city."""
        return CandidateMoves(backend, self.whole, neighbourhoods, _ListsOfParts(degree))

    def names(self, chosen: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the city numbers of chosen instances (K, m); short rows repeat the last city."""
        sizes = self.sizes[chosen]
        places = np.minimum(np.arange(sizes.max()), sizes[:, None] - 1)
        return (self.firsts[chosen, None] + places).astype(np.int32)

    def parts(
        self, backend: Backend, parts: CandidateMoves, chosen: NDArray[np.int64], seconds: float
    ) -> TourParts | None:
        """Return the chosen instances as parts with candidates, or None if time runs out."""
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
        kernel = lists_kernel(self.metric, parts.moves, ONE_THREAD[backend.name], degree)
        complete = backend.launch(kernel, count * stride, arguments, seconds=seconds)
        return cut if complete else None

    def curves(self, backend: Backend, chosen: NDArray[np.int64]) -> Any:
        """Return tours of the chosen instances along a Hilbert curve, on a backend, shape (K, m).

        Cities are numbered within their instances. The row of an instance with fewer than m cities
        is padded with the other numbers below m.
        """
        names = self.names(chosen)
        xp = np if names.size <= CURVES_ON_HOST else backend.xp
        points = xp.asarray(self.points)[xp.asarray(names)]
        low = points.min(axis=1, keepdims=True)
        extent = (points.max(axis=1, keepdims=True) - low).max(axis=2, keepdims=True)
        extent = xp.where(extent > 0, extent, 1.0)
        cells = ((points - low) / extent * ((1 << LEVELS) - 1)).astype("int64")
        keys = hilbert(xp, cells[:, :, 0], cells[:, :, 1])
        beyond = xp.arange(names.shape[1]) >= xp.asarray(self.sizes[chosen])[:, None]
        keys[beyond] = 1 << (2 * LEVELS)
        return backend.xp.asarray(xp.argsort(keys, axis=1, kind="stable").astype("int32"))

    def costs(self, backend: Backend, parts: CandidateMoves, cut: TourParts, tours: Any) -> Any:
        """Return the costs of tours (K * R, m) on a backend; real costs have rounding errors."""
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

    def exact_costs(self, chosen: NDArray[np.int64], tours: NDArray[np.int32]) -> NDArray[Any]:
        """Return the exact costs of tours (K, m) of the chosen instances, on the host."""
        sizes = self.sizes[chosen]
        costs = np.zeros(len(chosen), self.whole.cost_dtype)
        for size in np.unique(sizes[sizes > 1]).tolist():
            (alike,) = np.nonzero(sizes == size)
            step = max(1, BLOCK // size)
            for begin in range(0, len(alike), step):
                rows = alike[begin : begin + step]
                cities = self.firsts[chosen[rows], None] + tours[rows, :size]
                edges = self.metric.lengths(self.whole.values, cities, np.roll(cities, -1, axis=1))
                costs[rows] = row_sums(edges)
        return costs


def shortest_tours(instances: Instances, chosen: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the shortest tour of each chosen instance, shape (K, m), found by enumeration.

    Instances have fewer than `SMALLEST_SEARCHED` cities. The row of an instance with fewer than m
    cities is padded with the other numbers below m.
    """
    sizes = instances.sizes[chosen]
    tours = np.tile(np.arange(sizes.max(), dtype=np.int32), (len(chosen), 1))
    for size in np.unique(sizes[sizes > 3]).tolist():  # up to three cities allow only one tour
        (alike,) = np.nonzero(sizes == size)
        known = _all_tours(size)
        step = max(1, BLOCK_ENTRIES // known.size)
        for begin in range(0, len(alike), step):
            rows = alike[begin : begin + step]
            lengths = _lengths(instances, instances.firsts[chosen[rows]], size)
            costs = lengths[:, known, np.roll(known, -1, axis=1)].sum(axis=2)
            tours[rows, :size] = known[costs.argmin(axis=1)]
    return tours


def _all_tours(size: int) -> NDArray[np.int32]:
    """Return each tour of `size` cities once, starting at city 0, without reversed tours."""
    rest = permutations(range(1, size))
    return np.array([(0, *tour) for tour in rest if tour[0] < tour[-1]], np.int32)


def _lengths(instances: Instances, firsts: NDArray[np.int64], size: int) -> NDArray[Any]:
    """Return the lengths between the cities of instances of equal size, shape (K, size, size)."""
    a, b = np.array(list(combinations(range(size), 2))).T
    lengths = np.zeros((len(firsts), size, size), instances.whole.cost_dtype)
    between = instances.metric.lengths(
        instances.whole.values, firsts[:, None] + a, firsts[:, None] + b
    )
    lengths[:, a, b] = lengths[:, b, a] = between
    return lengths
