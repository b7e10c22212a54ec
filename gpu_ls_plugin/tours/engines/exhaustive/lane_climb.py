"""Layout of exhaustive 2-opt climbs of short tours on a GPU: some lanes of a warp per climb."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.tours.kernels.tour_layouts import POINT_BYTES
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.problem.metrics import Metric

FOLDER = "tours/engines/exhaustive"
PARAMETERS = (
    struct_of("tours/problem/instance.cuh", "Instance"),
    struct_of("tours/engines/exhaustive/lane_rules.cuh", "LaneRules"),
    struct_of("tours/engines/descent/descent_batch.cuh", "DescentBatch"),
)
LANES = (4, 8, 16, 32)
MOST_OF_A_LANE = 16  # maximum number of cities with a climb per lane, limited by registers
ROWS = {True: (1, 3, 5, 7, 9, 11, 13, 15), False: (1, 3, 5, 7)}  # odd: no bank conflicts
WARPS = 2  # per block; they are independent, so few
MANY_ROWS = 11  # more rows need more registers
FULL_WARPS = 12  # number of resident warps that keeps a multiprocessor busy
LONGEST_SHARE = 8  # maximum number of climbs after each other by the same lanes

# Instructions of a warp, counted in the code for sm_90.
PER_DISTANCE, PER_MOVE, PER_COLUMN = 5, 3, 6
PER_PASS, PER_ROW, PER_OFFSET = 260, 12, 25  # once; for each row of a lane; to find the best move
# The same for a climb per lane: also the second least estimate and the move of the least one.
PER_MOVE_OF_A_LANE, PER_CITY_OF_A_LANE, BUSY_LANES = 13, 10, 0.85
# Instructions of all warps of a multiprocessor per nanosecond: 4 per clock of 1.755 GHz, of which
# three quarters are reached.
INSTRUCTIONS_PER_NS = 5.3


@dataclass(frozen=True)
class LaneShape:
    """A launch layout of climbs by groups of lanes."""

    lanes: int  # number of lanes per climb
    rows: int  # number of rows of the neighbourhood per lane
    blocks: int = 8  # number of resident blocks per multiprocessor, limited by registers
    unroll: int = 2  # number of columns per iteration of the inner loop
    warps: int = WARPS  # number of warps per block

    @property
    def header(self) -> str:
        """The path of the file that defines `body`."""
        return f"{FOLDER}/lane_climb.cuh"

    @property
    def body(self) -> str:
        """The C++ type of the climb, with places for the team and the metric."""
        return f"gls::LaneClimb<{self.lanes}, {self.rows}, {self.unroll}, {{team}}, {{metric}}>"

    @property
    def groups(self) -> int:
        """Number of climbs of a warp at a time."""
        return 32 // self.lanes

    def stride(self, n: int) -> int:
        """Return the number of points per climb in shared memory: half of the tour again.

        Groups of less than 8 lanes read different banks.
        """
        points = n + n // 2 + self.rows + 1
        return points + (self.lanes - points) % 8 if self.lanes < 8 else points

    def shared_bytes(self, n: int) -> int:
        """Return how many bytes of dynamic shared memory a block needs for tours of n cities."""
        return self.warps * self.groups * (POINT_BYTES * self.stride(n) + 2 * n)

    def serves(self, n: int, shared_memory: int) -> bool:
        """Return whether lanes have a row for each city, and no row ends before all have begun."""
        fits = self.shared_bytes(n) + tuning.BLOCK_OVERHEAD <= shared_memory
        return fits and self.lanes * self.rows >= n >= 2 * self.rows + 2

    def climbs_a_warp(self, tours: int) -> int:
        """Return the number of climbs of a warp, given the number of tours per multiprocessor.

        A warp with several climbs for its lanes does not wait for the longest, as long as there
        are enough warps.
        """
        share = tours // (64 * self.groups)
        return self.groups * max(1, min(LONGEST_SHARE, share))

    def speed(self, n: int, tours: int, shared_memory: int) -> float:
        """Predict the moves of a multiprocessor per nanosecond."""
        half, rows = n // 2, self.rows
        columns = (half - 1) * (PER_DISTANCE * (rows + 1) + PER_MOVE * rows)
        rest = PER_COLUMN * (half + rows) + PER_PASS + PER_ROW * rows
        instructions = columns + rest + PER_OFFSET * -(-half // self.lanes)
        fits = shared_memory // (self.shared_bytes(n) + tuning.BLOCK_OVERHEAD)
        warps = min(self.warps * min(self.blocks, fits), tours / self.groups)
        moves = self.groups * n * (n - 3) / 2
        return INSTRUCTIONS_PER_NS * min(1.0, warps / FULL_WARPS) * moves / instructions


@dataclass(frozen=True)
class OneLaneShape(LaneShape):
    """A launch layout with a climb per lane; the code depends on the number of cities, `rows`."""

    @property
    def header(self) -> str:
        return f"{FOLDER}/one_lane_climb.cuh"

    @property
    def body(self) -> str:
        return f"gls::OneLaneClimb<{self.rows}, {{team}}, {{metric}}>"

    def shared_bytes(self, n: int) -> int:
        return self.warps * (POINT_BYTES * 33 * n + 32 * n)

    def serves(self, n: int, shared_memory: int) -> bool:
        return n == self.rows

    def speed(self, n: int, tours: int, shared_memory: int) -> float:
        moves = n * (n - 3) / 2
        instructions = PER_MOVE_OF_A_LANE * moves + PER_CITY_OF_A_LANE * n + PER_PASS / 2
        warps = min(self.warps * self.blocks, tours / self.groups)
        rate = INSTRUCTIONS_PER_NS * min(1.0, warps / FULL_WARPS)
        return rate * BUSY_LANES * self.groups * moves / instructions


def usual_shape(lanes: int, rows: int, fast_estimate: bool) -> LaneShape:
    """Return a layout with as many resident blocks as the registers allow."""
    return LaneShape(lanes, rows, 8 if fast_estimate and rows <= MANY_ROWS else 6)


def lane_shape(n: int, tours: int, shared_memory: int, fast_estimate: bool) -> LaneShape | None:
    """Return the fastest layout for `tours` per multiprocessor; None if the tours are too long."""

    rows = ROWS[fast_estimate]
    shapes = [usual_shape(lanes, r, fast_estimate) for lanes in LANES for r in rows]
    if fast_estimate and n <= MOST_OF_A_LANE:
        shapes.append(OneLaneShape(1, n))
    return max(
        (shape for shape in shapes if shape.serves(n, shared_memory)),
        key=lambda shape: shape.speed(n, tours, shared_memory),
        default=None,
    )


def lane_kernel(metric: Metric, shape: LaneShape) -> Kernel:
    """Compose the climb with some lanes, or one, per tour."""
    team = f"gls::Warp<{shape.warps}>"
    kernel = metric_kernel("two_opt_climb", metric, shape.header, shape.body, PARAMETERS, team)
    return replace(kernel, blocks_per_multiprocessor=shape.blocks)
