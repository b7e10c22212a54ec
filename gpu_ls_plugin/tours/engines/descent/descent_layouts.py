"""Launch layouts of descents, sweeps and multi improvement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, LARGEST_SHORT, padded
from gpu_ls_plugin.tours.kernels.tour_layouts import (
    LARGE_LANES,
    MOVE_BYTES,
    SITE_BYTES,
    ChainNeeds,
    DescentShape,
    survivor_bytes,
    tour_bytes,
)

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend

SECONDS_PER_LOOK = {"cuda": 1e-6, "cpu": 2e-6}  # upper bounds, including the time of a move
WARPS = (16, 12, 8, 6, 4, 2, 1)  # possible numbers of warps per block, if each warp holds a tour
# Number of lanes of a block that holds one tour, by the maximum number of cities.
BLOCK_LANES = {2_000: 128, 8_000: 256}
FEW = 2  # tours per multiprocessor; if there are more, a block has only half of these lanes
SOME = 8  # tours per multiprocessor; with at least this many, each tour gets a warp
# Chunks of a sweep: maximum number of cities of all tours together, number of cities per chunk, and
# number of blocks that share the first steps of a chunk. In small instances, many blocks share the
# work at cities with long edges; in large ones, it matters more that neighbouring lanes read
# neighbouring memory.
SWEEP_SHAPES: tuple[tuple[float, int, int], ...] = (
    (2_000, 64, 64),
    (10_000, 64, 32),
    (40_000, 8, 2),
    (math.inf, 8, 1),
)
SWEEP_LANES = 128  # lanes of a block that evaluates a chunk
NOTES_BYTES = 1536  # most static shared memory of a block beside what scouts find
CPU_SWEEP_CITIES = 8  # number of cities per chunk on a CPU


def looks_of_a_launch(backend: Backend, tours: int) -> int:
    """Return a number of looks per tour for the first launch, before a look's time is known."""
    seconds = SECONDS_PER_LOOK[backend.name] * -(-tours // backend.processors)
    return max(1, int(tuning.LAUNCH_SECONDS / seconds))


def descent_shape(
    n: int, tours: int, shared_memory: int, layout: str = "auto", needs: ChainNeeds = ChainNeeds()
) -> DescentShape:
    """Return the layout for tours of n cities, with `tours` of them per multiprocessor.

    If there are many tours, each gets a warp; the warps of a block share a copy of the cities. If
    there are few, each gets a block, whose lanes look further ahead. Global memory holds the tours
    that do not fit into shared memory. A `layout` of `LAYOUTS` overrides this choice.
    """
    own, sites = tour_bytes(n, 2), padded(n * SITE_BYTES)

    def room(lanes: int) -> int:
        scouts = 2 * lanes * survivor_bytes(needs.length_bytes)
        return shared_memory - scouts - NOTES_BYTES

    def fitting(teams: int) -> bool:
        return n <= LARGEST_SHORT and teams * own + sites <= room(32 * teams)

    lanes = next((count for cities, count in BLOCK_LANES.items() if n <= cities), LARGE_LANES)
    lanes = lanes if tours <= FEW else lanes // 2
    if layout == "auto":
        many = tours >= SOME and fitting(SOME)
        layout = "warp" if many else "block"
    if layout == "warp":
        warps = next((w for w in WARPS if w <= max(1, tours) and fitting(w)), 1)
        in_shared = n <= LARGEST_SHORT and own <= room(32)
        return DescentShape(f"gls::Warp<{warps}>", 32, warps, in_shared, fitting(warps))
    in_shared = layout != "global" and n <= LARGEST_SHORT and own <= room(lanes)
    lanes = lanes if in_shared else LARGE_LANES
    beside = in_shared and tours * (own + sites) <= room(lanes)  # for all blocks together
    return DescentShape(f"gls::Block<{lanes}>", lanes, 1, in_shared, beside)


def sweep_shape(n: int, tours: int, backend: str) -> tuple[int, int, int]:
    """Return the numbers of chunks of a tour, of shares of a chunk, and of lanes of a team."""
    if backend == "cpu":
        return -(-n // CPU_SWEEP_CITIES), 1, 1
    cities, shares = next((c, s) for most, c, s in SWEEP_SHAPES if n * tours <= most)
    return -(-n // cities), shares, SWEEP_LANES


# Lanes of a block that looks at many cities together, by how many registers the moves need.
MULTI_LANES = {"few": 512, "some": 512, "many": 384, "most": 256}
MULTI_GLOBAL_LANES = 256  # lanes of such a block if the tour is in global memory
LOOK_BATCH_BYTES = constant("tours/engines/descent/multi_descent.cuh", "kLookBatchBytes")


@dataclass(frozen=True)
class MultiShape(DescentShape):
    """The layout of multi improvement."""

    def shared_bytes(self, n: int) -> int:
        return super().shared_bytes(n) + LOOK_BATCH_BYTES * self.in_shared


def multi_shape(n: int, shared_memory: int, needs: ChainNeeds, layout: str = "auto") -> MultiShape:
    """Return the layout for tours of n cities; `layout` "global" keeps tours in global memory."""
    lanes = MULTI_LANES[needs.registers]
    scouts = lanes // 32 * (MOVE_BYTES + 2 * 32 * survivor_bytes(needs.length_bytes))
    room = shared_memory - LOOK_BATCH_BYTES - scouts - BLOCK_OVERHEAD
    own, sites = tour_bytes(n, 2), padded(n * SITE_BYTES)
    in_shared = layout != "global" and n <= LARGEST_SHORT and own <= room
    lanes = lanes if in_shared else MULTI_GLOBAL_LANES
    return MultiShape(
        f"gls::Block<{lanes}>", lanes, 1, in_shared, in_shared and own + sites <= room
    )
