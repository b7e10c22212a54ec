"""Engine of best improvement on candidates (Fosin, Davidović and Carić 2013)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import Arguments, constant, struct_of
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.tours.engines.descent import descent_layouts
from gpu_ls_plugin.tours.engines.engine import Engine
from gpu_ls_plugin.tours.moves import composed
from gpu_ls_plugin.tours.problem.device_data import batch_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves, Moves
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "tours/engines/descent/best_sweep.cuh"
# Passes may be short, and each makes two launches. A single struct as the argument keeps launches
# quick.
PARAMETERS = (Arguments.of((*composed.PARAMETERS, struct_of(HEADER, "SweepBatch"))),)
FOUND_BYTES = constant("tours/engines/descent/scout.cuh", "kFoundBytes")


def sweep_kernels(metric: Metric, moves: Moves, team: str, block: str) -> tuple[Kernel, Kernel]:
    """Compose kernels: one evaluates chunks of cities, the other applies each tour's best move."""

    def compose(name: str, functor: str, lanes: str) -> Kernel:
        body = f"gls::{functor}<{{team}}, {{metric}}, {{length}}, {{moves}}>"
        return moves.kernel(name, metric, HEADER, body, PARAMETERS, lanes)

    return compose("evaluate_chunks", "EvaluateChunk", team), compose(
        "take_best", "TakeBest", block
    )


def keep_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that computes what an objective keeps about each tour."""
    body = "gls::KeepTours<{team}, {metric}>"
    header = "tours/problem/objective.cuh"
    parameters = "const void* metric_data, int n, const int* tours"
    return metric_kernel("keep_tours", metric, header, body, parameters, team)


def positions_kernel(team: str) -> Kernel:
    """Compose the kernel that writes the position of each city."""
    body = f"gls::MakePositions<{team}>"
    parameters = parse_parameters("int n, const int* tours, int* positions")
    return Kernel("make_positions", HEADER, body, parameters, team, parts=("make_positions",))


def positions_of(backend: Backend, tours: Any) -> Any:
    """Return the position of each city in tours, int32 (P, n), on their backend."""
    size, n = tours.shape
    positions = backend.xp.empty((size, n), "int32")
    arguments = {"n": n, "tours": tours, "positions": positions}
    backend.launch(positions_kernel(backend.block(256)), size, arguments)
    return positions


class BestSweep(Engine):
    """A batch of climbs; a pass applies the best move of all cities of a tour."""

    def __init__(
        self, backend: Backend, problem: TSP, tours: Any, parts: CandidateMoves, max_moves: int
    ) -> None:
        super().__init__(backend, problem, tours, len(parts.moves.names))
        xp, n, size = backend.xp, problem.n, len(tours)
        self._parts = parts
        chunks, shares, lanes = descent_layouts.sweep_shape(n, size, backend.name)
        self._teams = size * chunks * shares
        self._arguments: dict[str, Any] = {
            **parts.arguments,
            **batch_data(backend, problem, size),
            **self.arrays,
            "chunks": chunks,
            "shares": shares,
            "max_moves": max_moves,
            "positions": positions_of(backend, tours),
            "found": xp.empty((self._teams, FOUND_BYTES), "uint8"),
        }
        if problem.objective.keeps:
            kernel = keep_kernel(search_metric(problem), backend.block(256))
            backend.launch(kernel, size, self._arguments)
        self._evaluate, self._take = sweep_kernels(
            search_metric(problem), parts.moves, backend.block(lanes), backend.block(256)
        )

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return how many bytes of device memory a tour needs."""
        # This is an upper bound: a tour that is alone in its batch has the most chunks and shares.
        chunks, shares, _ = descent_layouts.sweep_shape(n, 1, "cuda")
        return n * (4 + 4) + chunks * shares * FOUND_BYTES + 64

    def launch(self, passes: int, seconds: float) -> None:
        watch = Stopwatch.of(seconds)
        for _ in range(passes):
            if not self.evaluate(watch.left):
                return
            self.backend.launch(self._take, len(self.tours), self._arguments)

    def evaluate(self, seconds: float = math.inf) -> bool:
        """Queue the evaluation of a pass; return whether it was queued completely in time."""
        return self.backend.launch(self._evaluate, self._teams, self._arguments, seconds=seconds)

    def first_passes(self) -> int:
        """Return 1: the driver measures how many passes fit into a launch."""
        return 1

    def moves_per_evaluation(self) -> int:
        return self.problem.n * self._parts.neighbours
