"""Engines of descents on candidate lists, city by city or several cities together."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.tours.engines.descent import descent_layouts
from gpu_ls_plugin.tours.engines.engine import PersistentEngine
from gpu_ls_plugin.tours.engines.scopes import PROBLEMS, WHOLE_TOUR
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.moves import composed
from gpu_ls_plugin.tours.problem.device_data import batch_data
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves, Moves
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP


def look_bits(xp: Any, awake: Any) -> Any:
    """Return the bits of gls::LookBits, uint32 (P, words), for the `awake` cities, bool (P, n)."""
    size, n = awake.shape
    words = -(-n // 32)
    waits = xp.zeros((size, 32 * words), xp.uint32)
    waits[:, :n] = awake
    shifts = xp.arange(32, dtype=xp.uint32)[:, None]
    return (waits.reshape(size, 32, words) << shifts).sum(axis=1, dtype=xp.uint32)


PARAMETERS = (
    *composed.PARAMETERS,
    struct_of("tours/engines/descent/descent_batch.cuh", "DescentBatch"),
)


def city_kernel(
    name: str,
    template: str,
    own: str,
    metric: Metric,
    moves: Moves,
    team: str,
    memory: str,
    scope: str = WHOLE_TOUR,
) -> Kernel:
    """Compose a kernel whose teams search one tour each.

    `own` names the struct of the parameters that the kernel has in addition to `PARAMETERS`.
    `scope` is a key of `PROBLEMS`; multi improvement has the default alone.
    """
    header = f"tours/engines/descent/{name}.cuh"
    scoped = "" if scope == WHOLE_TOUR else f", {scope}"
    body = f"gls::{template}<{{team}}, {{metric}}, {{length}}, {memory}, {{moves}}{scoped}>"
    parameters = (*PARAMETERS, struct_of(header, own), *PROBLEMS[scope])
    kernel = moves.kernel(name, metric, header, body, parameters, team)
    return replace(kernel, prepared=not kernel.on_host and scope == WHOLE_TOUR)


class CityDescent(PersistentEngine):
    """A batch of descents on a backend; each pass looks at a single city."""

    def __init__(
        self, backend: Backend, problem: TSP, tours: Any, parts: CandidateMoves, max_moves: int
    ) -> None:
        super().__init__(backend, problem, tours, len(parts.moves.names))
        self._parts = parts
        self._arguments: dict[str, Any] = {
            **parts.arguments,
            **batch_data(backend, problem, len(tours)),
            **self.arrays,
            "max_moves": max_moves,
            "scratch": None,
        }
        host = tour_layouts.HostShape.of(problem.n)
        self._team, self._memory = host.team, host.memory

    def _lay_out(self, shape: tour_layouts.DescentShape) -> None:
        """Use a GPU layout; allocate global memory for tours that are not in shared memory."""
        size, n = self.tours.shape
        self._team, self._memory = shape.team, shape.memory
        self._shared_bytes = shape.shared_bytes(n)
        if not shape.in_shared:
            scratch = self.backend.xp.empty((size, tour_layouts.tour_bytes(n, 4)), "uint8")
            self._arguments["scratch"] = scratch

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return how many bytes of device memory a tour needs."""
        return 8 * n + tour_layouts.tour_bytes(n, 4) + 64

    def first_passes(self) -> int:
        return descent_layouts.looks_of_a_launch(self.backend, len(self.tours))

    def moves_per_evaluation(self) -> int:
        return self._parts.neighbours


descent_kernel = partial(city_kernel, "descent", "Descent", "WaitingCities")


class Descent(CityDescent):
    """A batch of descents with work queues; `layout` is "auto" or one of `LAYOUTS`."""

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        parts: CandidateMoves,
        max_moves: int,
        layout: str = "auto",
    ) -> None:
        super().__init__(backend, problem, tours, parts, max_moves)
        xp, n, size = backend.xp, problem.n, len(tours)
        self._arguments |= {
            "ahead": 1,
            "queues": xp.empty((size, n), "int32"),
            "queue_sizes": xp.full(size, -1, "int32"),
        }
        if backend.name != "cpu":
            per_processor = -(-size // backend.processors)
            shape = descent_layouts.descent_shape(
                n, per_processor, backend.shared_memory, layout, parts.needs
            )
            self._arguments["ahead"] = shape.ahead(parts.steps)
            self._lay_out(shape)
        self._kernel = descent_kernel(search_metric(problem), parts.moves, self._team, self._memory)


multi_descent_kernel = partial(city_kernel, "multi_descent", "MultiDescent", "SweepState")


class MultiDescent(CityDescent):
    """A batch of descents that each look at up to `cities` cities together."""

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        parts: CandidateMoves,
        max_moves: int,
        cities: int,
        layout: str = "auto",
    ) -> None:
        super().__init__(backend, problem, tours, parts, max_moves)
        xp, n, size = backend.xp, problem.n, len(tours)
        self._arguments |= {
            "most": cities,
            "looks": look_bits(xp, xp.ones((size, n), bool)),
            "sweeps": xp.zeros(size, "int32"),
        }
        if backend.name != "cpu":
            self._lay_out(
                descent_layouts.multi_shape(n, backend.shared_memory, parts.needs, layout)
            )
        self._kernel = multi_descent_kernel(
            search_metric(problem), parts.moves, self._team, self._memory
        )
