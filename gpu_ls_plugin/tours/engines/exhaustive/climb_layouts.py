"""Launch layouts of the exhaustive 2-opt climb."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, LARGEST_SHORT
from gpu_ls_plugin.tours.kernels.tour_layouts import POINT_BYTES

# Upper bounds for the seconds of a pass, by whether a pass makes several moves: per evaluated move
# on a multiprocessor, and per city on a CPU thread.
CUDA_SECONDS_PER_MOVE = {False: 2e-10, True: 1e-9}
CPU_SECONDS_PER_CITY = {False: 1e-8, True: 1e-6}
CLIMB = "tours/engines/exhaustive/two_opt_climb.cuh"
GROUP, CHUNK = constant(CLIMB, "kGroup"), constant(CLIMB, "kChunk")
# Measured on the H200 (docs/kernels.md).
RESIDENT_WARPS = {"fast": 16, "slow": 12}  # per multiprocessor, as registers allow
ROW_SPEED = {8: 1.0, 4: 0.85}  # relative speed of a lane, by its rows
MOST_WARPS = 8  # of a block
LOAD_COST = 10  # evaluated moves that take as long as loading a point into shared memory


@dataclass(frozen=True)
class ClimbShape:
    """A launch layout of the exhaustive 2-opt climb."""

    warps: int  # per block
    rows: int  # rows of the neighbourhood per lane
    in_shared: bool  # whether the 16-bit tour is in shared memory
    blocks: int  # resident blocks per multiprocessor

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block for tours of n cities."""
        ring = (32 * self.warps * self.rows + 2 * CHUNK) // GROUP * (GROUP + 1) * POINT_BYTES
        return ring + 2 * n * self.in_shared


def climb_shape(n: int, tours: int, shared_memory: int, fast_estimate: bool) -> ClimbShape:
    """Return the layout that keeps a multiprocessor busiest (O'Neil and Burtscher 2015, 3.3).

    A layout is rated by its resident warps, times the share of their work that evaluates moves
    (lanes without a row and loads of columns do not count). Registers, shared memory and the number
    of tours limit the resident blocks, so that few tours get large blocks. Among equal layouts, one
    with tours in shared memory is chosen. A metric without a `fast_estimate` needs registers for
    its estimate.
    """
    resident = RESIDENT_WARPS["fast" if fast_estimate else "slow"]

    def shape(warps: int, rows: int, in_shared: bool) -> ClimbShape:
        bare = ClimbShape(warps, rows, in_shared, 1)
        fits = shared_memory // (bare.shared_bytes(n) + BLOCK_OVERHEAD)
        return replace(bare, blocks=min(resident // warps, fits))

    def speed(candidate: ClimbShape) -> float:
        band = 32 * candidate.warps * candidate.rows
        rounds = -(-n // band)
        moves = n * n / 2
        loads = rounds * (n / 2 + band) * LOAD_COST
        useful = n / (rounds * band) * moves / (moves + loads)
        warps = min(candidate.blocks, tours) * candidate.warps
        return warps * useful * ROW_SPEED[candidate.rows]

    shapes = [
        shape(warps, rows, in_shared)
        for warps in range(1, MOST_WARPS + 1)
        for rows in ((8, 4) if fast_estimate else (4,))
        for in_shared in (True, False)
        if n <= LARGEST_SHORT or not in_shared
    ]
    return max(shapes, key=lambda c: (speed(c), c.in_shared, -c.warps))
