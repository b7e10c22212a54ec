"""Launch numbers, by device class: the one table of them."""

from __future__ import annotations

from dataclasses import dataclass

# Dynamic shared memory that one block may have, in bytes, by compute capability.
SHARED_MEMORY = {75: 64 << 10, 80: 163 << 10, 90: 227 << 10, 100: 227 << 10}

LAUNCH_SECONDS = 0.05  # a launch should take about this long, so that searches can be stopped

POINT_BYTES = 16  # gls::Point
GROUP, CHUNK = 8, 128  # gls::TwoOptClimb::kGroup and kChunk
BLOCK_OVERHEAD = 1 << 10  # shared memory that the system keeps per block


@dataclass(frozen=True)
class ClimbShape:
    """How the exhaustive 2-opt climb is laid out (O'Neil and Burtscher 2015, section 3.3).

    `warps` per block; `rows` of the neighbourhood per lane; `in_shared` whether the 16-bit tour
    lies in shared memory; `shared_bytes` per block; `blocks` that should be resident on a
    multiprocessor.
    """

    warps: int
    rows: int
    in_shared: bool
    shared_bytes: int
    blocks: int


def climb_shape(n: int, shared_memory: int, fast_estimate: bool) -> ClimbShape:
    """Return the layout that keeps the most lanes of a multiprocessor busy with tours of n cities.

    Counted are the lanes that have rows to evaluate, times the warps that are resident under the
    limits of registers and shared memory (`shared_memory` bytes). Among equals, tours lie in
    shared memory and blocks are small. A metric without a `fast_estimate` needs its registers
    for the estimate.
    """
    rows = 8 if fast_estimate and n > 128 else 4
    resident_warps = 16 if fast_estimate else 12
    strips = -(-n // (32 * rows))  # a strip of rows is a warp's worth

    def shape(warps: int, in_shared: bool) -> ClimbShape:
        ring = (32 * warps * rows + 2 * CHUNK) // GROUP * (GROUP + 1) * POINT_BYTES
        shared = ring + 2 * n * in_shared
        blocks = min(resident_warps // warps, shared_memory // (shared + BLOCK_OVERHEAD))
        return ClimbShape(warps, rows, in_shared, shared, blocks)

    def busy_lanes(candidate: ClimbShape) -> float:
        rounds = -(-strips // candidate.warps)
        return candidate.blocks * candidate.warps * strips / (rounds * candidate.warps)

    places = (True, False) if n <= 1 << 16 else (False,)
    shapes = [shape(w, s) for w in range(1, min(strips, 8) + 1) for s in places]
    return max(shapes, key=lambda c: (busy_lanes(c), c.in_shared, -c.warps))
