"""Engine of the exhaustive 2-opt climb: a block per tour on a GPU, a thread per tour on a CPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.engines.engine import NO_SITES, Engine
from gpu_ls_plugin.tours.engines.exhaustive import climb_layouts
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

PARAMETERS = (
    struct_of("tours/problem/instance.cuh", "Instance"),
    struct_of("tours/engines/exhaustive/two_opt_rules.cuh", "TwoOptRules"),
    struct_of("tours/engines/descent/descent_batch.cuh", "DescentBatch"),
)
BOUND_CANDIDATES = Nearest(32)  # for full scans on a CPU; the result does not depend on them
TWO_OPT = "tours/moves/two_opt.cuh"
ROW_BYTES = constant(TWO_OPT, "kRowBestBytes")
LONGEST_LAUNCH = 3 * tuning.LAUNCH_SECONDS  # upper bound for a pass of the tours of a launch
MAX_MOVES_PER_PASS = constant(TWO_OPT, "kMaxMovesPerPass")


def host_kernel(metric: Metric) -> Kernel:
    """Compose the climb for one CPU thread per tour."""
    return metric_kernel(
        "two_opt_climb",
        metric,
        header="tours/engines/exhaustive/two_opt_climb_host.cuh",
        body="gls::TwoOptClimb<{metric}>",
        parameters=PARAMETERS,
        team="gls::Host",
    )


def block_kernel(metric: Metric, shape: climb_layouts.ClimbShape) -> Kernel:
    """Compose the climb for one block per tour."""
    city = "gls::uint16" if shape.in_shared else "int"
    kernel = metric_kernel(
        "two_opt_climb",
        metric,
        header="tours/engines/exhaustive/two_opt_climb.cuh",
        body=f"gls::TwoOptClimb<{shape.warps}, {shape.rows}, {{metric}}, {city}>",
        parameters=PARAMETERS,
        team=f"gls::Block<{32 * shape.warps}>",
    )
    return replace(kernel, blocks_per_multiprocessor=shape.blocks)


class TwoOptClimb(Engine):
    """A batch of climbs, with up to `moves_per_pass` independent moves after each evaluation."""

    def __init__(
        self, backend: Backend, problem: TSP, tours: Any, moves_per_pass: int, max_moves: int
    ) -> None:
        super().__init__(backend, problem, tours)
        xp = backend.xp
        size, n = tours.shape
        self._shared_bytes = 0
        self._several, self._together = moves_per_pass > 1, max(1, size)
        self._arguments: dict[str, Any] = {
            "metric_data": metric_data(backend, problem),
            "n": n,
            **NO_SITES,
            "slack": _move_slack(problem),
            "neighbours": None,
            "lengths": None,
            "degree": 0,
            "max_moves": max_moves,
            "moves_per_pass": moves_per_pass,
            **self.arrays,
            "scratch": None,
        }
        if backend.name == "cpu":
            neighbours, lengths, degree = BOUND_CANDIDATES.on(backend, problem)
            self._arguments.update(neighbours=neighbours, lengths=lengths, degree=degree)
            self._kernel = host_kernel(problem.metric)
        else:
            shape = climb_layouts.climb_shape(
                n,
                -(-size // backend.processors),
                backend.shared_memory,
                problem.metric.fast_estimate,
            )
            self._kernel = block_kernel(problem.metric, shape)
            self._shared_bytes = shape.shared_bytes(n)
            at_a_time = int(LONGEST_LAUNCH / self._seconds_of_pass())
            self._together = max(1, at_a_time) * backend.processors
            if self._several:
                self._arguments["scratch"] = xp.empty((size, n, ROW_BYTES), "uint8")

    @staticmethod
    def bytes_per_tour(n: int, moves_per_pass: int) -> int:
        """Return the device memory of a tour in bytes."""
        return n * (4 + (ROW_BYTES if moves_per_pass > 1 else 0)) + 64

    def launch(self, passes: int, seconds: float) -> None:
        """Let each unfinished tour make up to `passes` passes; none begins after `seconds`."""
        for _, own in self.slices(self._together, seconds):
            self.backend.launch(
                self._kernel,
                len(own["tours"]),
                {**self._arguments, **own, "passes": passes},
                shared_bytes=self._shared_bytes,
                seconds=seconds,
            )

    def _seconds_of_pass(self) -> float:
        """Return an upper bound for a pass of one tour on its processor."""
        if self.backend.name == "cpu":
            return climb_layouts.CPU_SECONDS_PER_CITY[self._several] * self.problem.n + 1e-9
        seconds = climb_layouts.CUDA_SECONDS_PER_MOVE[self._several]
        return seconds * max(0, self.moves_per_evaluation()) + 1e-9

    def first_passes(self) -> int:
        """Return a number of passes for one launch."""
        share = -(-len(self.tours) // self.backend.processors)
        return max(1, int(tuning.LAUNCH_SECONDS / (share * self._seconds_of_pass())))

    def moves_per_evaluation(self) -> int:
        """Return the size of the neighbourhood."""
        return self.problem.n * (self.problem.n - 3) // 2


def _move_slack(problem: TSP) -> float:
    """Return a bound on the error of the estimated change by a move, which adds two distances."""
    return float(
        np.nextafter(np.float32(2 * problem.metric.slack(problem.values)), np.float32(np.inf))
    )
