"""How the exhaustive 2-opt climb is laid out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, LARGEST_SHORT
from gpu_ls_plugin.tours.kernels.tour_layouts import POINT_BYTES

# What a pass over a tour of n cities surely does not exceed, in seconds: on a multiprocessor by
# the number of moves, on a CPU thread by n, for one move per pass and for several.
CUDA_SECONDS_PER_MOVE = {False: 2e-10, True: 1e-9}
CPU_SECONDS_PER_CITY = {False: 1e-8, True: 1e-6}
CLIMB = "tours/engines/exhaustive/two_opt_climb.cuh"
GROUP, CHUNK = constant(CLIMB, "kGroup"), constant(CLIMB, "kChunk")
# Exhaustive climb: resident warps per multiprocessor that registers allow, and how fast a lane is
# with 8 or 4 rows, measured on the H200 (docs/kernels.md).
RESIDENT_WARPS = {"fast": 16, "slow": 12}
ROW_SPEED = {8: 1.0, 4: 0.85}
MOST_WARPS = 8
LOAD_COST = 10  # of a point into shared memory, in moves


@dataclass(frozen=True)
class ClimbShape:
    """How the exhaustive 2-opt climb is laid out."""

    warps: int  # per block
    rows: int  # of the neighbourhood per lane
    in_shared: bool  # whether the 16-bit tour lies in shared memory
    blocks: int  # that should be resident on a multiprocessor

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block for tours of n cities."""
        ring = (32 * self.warps * self.rows + 2 * CHUNK) // GROUP * (GROUP + 1) * POINT_BYTES
        return ring + 2 * n * self.in_shared


def climb_shape(n: int, tours: int, shared_memory: int, fast_estimate: bool) -> ClimbShape:
    """Return the layout that keeps a multiprocessor busiest (O'Neil and Burtscher 2015, 3.3).

    Counted are resident warps, times the share of their work that evaluates moves: not that of
    lanes without a row, and not loading columns. Blocks are limited by registers, by the
    multiprocessor's shared memory and by its number of tours; few tours therefore get large blocks.
    Among equals, tours lie in shared memory. A metric without a `fast_estimate` needs its registers
    for the estimate.
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
