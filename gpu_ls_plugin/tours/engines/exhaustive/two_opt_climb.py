"""Engine of the exhaustive 2-opt climb.

On a GPU, a block or some lanes of a warp climb with a tour; on a CPU, a thread does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.engines.engine import NO_SITES, Engine
from gpu_ls_plugin.tours.engines.exhaustive.lane_climb import LaneShape, lane_kernel, lane_shape
from gpu_ls_plugin.tours.kernels.sites import float32_above
from gpu_ls_plugin.tours.kernels.tour_layouts import POINT_BYTES
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
BOUND_CANDIDATES = Nearest(32)  # for full scans on a CPU; results do not depend on them
TWO_OPT = "tours/moves/two_opt.cuh"
ROW_BYTES = constant(TWO_OPT, "kRowBestBytes")
MAX_MOVES_PER_PASS = constant(TWO_OPT, "kMaxMovesPerPass")
CLIMB = "tours/engines/exhaustive/two_opt_climb.cuh"
GROUP, CHUNK = constant(CLIMB, "kGroup"), constant(CLIMB, "kChunk")  # columns

# Upper bounds on the time of a pass in seconds, by whether the pass makes several moves: per
# evaluated move on a multiprocessor, and per city on a CPU thread.
CUDA_SECONDS_PER_MOVE = {False: 2e-10, True: 1e-9}
CPU_SECONDS_PER_CITY = {False: 1e-8, True: 1e-6}
# Minimum number of passes of a tour in a launch on a CPU, which scans all edges at the beginning of
# a climb and again in each launch.
LEAST_ON_CPU = 100
LONGEST_LAUNCH = 3 * tuning.LAUNCH_SECONDS  # upper bound on one pass of all tours of a launch
# Measured on the H200 (docs/lab/kernels-tours.md).
RESIDENT_WARPS = {"fast": 16, "slow": 12}  # maximum per multiprocessor, limited by registers
ROW_SPEED = {8: 1.0, 4: 0.85}  # relative speed of a lane, by its number of rows
MOST_WARPS = 8  # maximum number of warps per block
LOAD_COST = 10  # number of moves that can be evaluated while a point is loaded to shared memory
MOVES_PER_NS = 21.0  # of a multiprocessor, if all of its warps evaluate moves
NS_PER_PASS = 10_000.0  # of a pass beside its moves; resident tours pass this time side by side


@dataclass(frozen=True)
class ClimbShape:
    """A launch layout of the exhaustive 2-opt climb."""

    warps: int  # number of warps per block
    rows: int  # number of rows of the neighbourhood per lane
    in_shared: bool  # whether the tour is in shared memory, with 16 bits per city
    blocks: int  # number of resident blocks per multiprocessor

    def shared_bytes(self, n: int) -> int:
        """Return how many bytes of dynamic shared memory a block needs for tours of n cities."""
        ring = (32 * self.warps * self.rows + 2 * CHUNK) // GROUP * (GROUP + 1) * POINT_BYTES
        return ring + 2 * n * self.in_shared

    def useful(self, n: int) -> float:
        """Return the share of the work that evaluates moves.

        Lanes without a row and loads of columns do not count as work on moves.
        """
        band = 32 * self.warps * self.rows
        rounds = -(-n // band)
        moves = n * n / 2
        loads = rounds * (n / 2 + band) * LOAD_COST
        return n / (rounds * band) * moves / (moves + loads)

    def speed(self, n: int, tours: int) -> float:
        """Predict the moves of a multiprocessor per nanosecond, given its number of tours."""
        blocks = min(self.blocks, tours)
        busy = blocks * self.warps / RESIDENT_WARPS["fast"] * self.useful(n)
        moves = n * (n - 3) / 2
        return moves / (moves / (MOVES_PER_NS * busy * ROW_SPEED[self.rows]) + NS_PER_PASS / blocks)


def climb_shape(n: int, tours: int, shared_memory: int, fast_estimate: bool) -> ClimbShape:
    """Return the layout that keeps a multiprocessor busiest (O'Neil and Burtscher 2015, 3.3).

    The rating of a layout is its number of resident warps, times the share of their work that
    evaluates moves, times the speed of their lanes; lanes without a row and loads of columns do not
    count as work on moves. Registers, shared memory and the number of tours per multiprocessor,
    `tours`, limit the resident blocks, so few tours get large blocks. Of two layouts with equal
    ratings, the one with tours in shared memory wins. A metric without a `fast_estimate` needs more
    registers.
    """
    resident = RESIDENT_WARPS["fast" if fast_estimate else "slow"]

    def shape(warps: int, rows: int, in_shared: bool) -> ClimbShape:
        bare = ClimbShape(warps, rows, in_shared, 1)
        fits = shared_memory // (bare.shared_bytes(n) + tuning.BLOCK_OVERHEAD)
        return replace(bare, blocks=min(resident // warps, fits))

    def rating(candidate: ClimbShape) -> tuple[float, bool, int]:
        warps = min(candidate.blocks, tours) * candidate.warps
        speed = warps * candidate.useful(n) * ROW_SPEED[candidate.rows]
        return speed, candidate.in_shared, -candidate.warps

    shapes = [
        shape(warps, rows, in_shared)
        for warps in range(1, MOST_WARPS + 1)
        for rows in ((8, 4) if fast_estimate else (4,))
        for in_shared in (True, False)
        if n <= tuning.LARGEST_SHORT or not in_shared
    ]
    return max(shapes, key=rating)


def host_kernel(metric: Metric) -> Kernel:
    """Compose the climb with one CPU thread per tour."""
    body = "gls::TwoOptClimb<{metric}>"
    header = "tours/engines/exhaustive/two_opt_climb_host.cuh"
    return metric_kernel("two_opt_climb", metric, header, body, PARAMETERS, "gls::Host")


def block_kernel(metric: Metric, shape: ClimbShape) -> Kernel:
    """Compose the climb with one block per tour."""
    city = "gls::uint16" if shape.in_shared else "int"
    body = f"gls::TwoOptClimb<{shape.warps}, {shape.rows}, {{metric}}, {city}>"
    team = f"gls::Block<{32 * shape.warps}>"
    kernel = metric_kernel("two_opt_climb", metric, CLIMB, body, PARAMETERS, team)
    return replace(kernel, blocks_per_multiprocessor=shape.blocks)


def climb_kernel(metric: Metric, shape: ClimbShape | LaneShape) -> Kernel:
    """Compose the climb with a layout on a GPU."""
    if isinstance(shape, LaneShape):
        return lane_kernel(metric, shape)
    return block_kernel(metric, shape)


def fastest_shape(
    n: int, tours: int, shared_memory: int, fast_estimate: bool
) -> ClimbShape | LaneShape:
    """Return the layout for one move per pass: of some lanes per climb, or of a block per climb."""
    block = climb_shape(n, tours, shared_memory, fast_estimate)
    lanes = lane_shape(n, tours, shared_memory, fast_estimate)
    if lanes is not None and lanes.speed(n, tours, shared_memory) > block.speed(n, tours):
        return lanes
    return block


class TwoOptClimb(Engine):
    """A batch of climbs; each evaluation is followed by up to `moves_per_pass` moves."""

    def __init__(
        self, backend: Backend, problem: TSP, tours: Any, moves_per_pass: int, max_moves: int
    ) -> None:
        super().__init__(backend, problem, tours)
        size, n = tours.shape
        self._shared_bytes = 0
        self._several = moves_per_pass > 1
        self._together = max(1, size)  # number of tours per launch
        self._climbs_a_warp = 0  # 0: an item of a launch is a tour
        self._arguments: dict[str, Any] = {
            "metric_data": metric_data(backend, problem),
            "n": n,
            **NO_SITES,
            "slack": float32_above(2 * problem.metric.slack(problem.values)),  # of two new edges
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
            choose = climb_shape if self._several else fastest_shape
            share = -(-size // backend.processors)
            memory = backend.shared_memory
            shape = choose(n, share, memory, problem.metric.fast_estimate)
            self._shared_bytes = shape.shared_bytes(n)
            self._kernel = climb_kernel(problem.metric, shape)
            if isinstance(shape, LaneShape):
                self._climbs_a_warp = shape.climbs_a_warp(share)
                slack = float32_above(4 * problem.metric.slack(problem.values))  # of four edges
                self._arguments |= {"slack": slack, "stride": shape.stride(n)}
            at_a_time = int(LONGEST_LAUNCH / self._seconds_of_pass())
            self._together = max(1, at_a_time) * backend.processors
            if self._several:
                self._arguments["scratch"] = backend.xp.empty((size, n, ROW_BYTES), "uint8")

    @staticmethod
    def bytes_per_tour(n: int, moves_per_pass: int) -> int:
        """Return how many bytes of device memory a tour needs."""
        return n * (4 + (ROW_BYTES if moves_per_pass > 1 else 0)) + 64

    def launch(self, passes: int, seconds: float) -> None:
        launch, shared = self.backend.launch, self._shared_bytes
        if self.backend.name == "cpu":
            passes = max(passes, LEAST_ON_CPU)
        for _, own in self.slices(self._together, seconds):
            arguments, count = {**self._arguments, **own, "passes": passes}, len(own["tours"])
            if self._climbs_a_warp > 0:
                arguments |= {"climbs": count, "climbs_a_warp": self._climbs_a_warp}
                count = -(-count // self._climbs_a_warp)
            launch(self._kernel, count, arguments, shared_bytes=shared, seconds=seconds)

    def _seconds_of_pass(self) -> float:
        """Return an upper bound in seconds on a pass of one tour on a multiprocessor or thread."""
        if self.backend.name == "cpu":
            return CPU_SECONDS_PER_CITY[self._several] * self.problem.n + 1e-9
        seconds = CUDA_SECONDS_PER_MOVE[self._several]
        return seconds * max(0, self.moves_per_evaluation()) + 1e-9

    def first_passes(self) -> int:
        share = -(-len(self.tours) // self.backend.processors)
        return max(1, int(tuning.LAUNCH_SECONDS / (share * self._seconds_of_pass())))

    def moves_per_evaluation(self) -> int:
        return self.problem.n * (self.problem.n - 3) // 2
