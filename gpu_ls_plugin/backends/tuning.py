"""Launch numbers, by device class: the one table of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

# Dynamic shared memory that one block may have, in bytes, by compute capability.
SHARED_MEMORY = {75: 64 << 10, 80: 163 << 10, 90: 227 << 10, 100: 227 << 10}

LAUNCH_SECONDS = 0.05  # a launch should take about this long, so that searches can be stopped

# What a pass over a tour of n cities surely does not exceed, in seconds: on a multiprocessor by
# the number of moves, on a CPU thread by n, for one move per pass and for several.
CUDA_SECONDS_PER_MOVE = 2e-10
CPU_SECONDS_PER_CITY = {False: 1e-8, True: 1e-6}

POINT_BYTES = 16  # gls::Point
GROUP, CHUNK = 8, 128  # gls::TwoOptClimb::kGroup and kChunk
BLOCK_OVERHEAD = 1 << 10  # shared memory that the system keeps per block


# Exhaustive climb: resident warps per multiprocessor that registers allow, and how fast a lane is
# with 8 or 4 rows, measured on the H200 (docs/kernels.md).
RESIDENT_WARPS = {"fast": 16, "slow": 12}
ROW_SPEED = {8: 1.0, 4: 0.85}
MOST_WARPS = 8
LOAD_COST = 10  # of a point into shared memory, in moves


@dataclass(frozen=True)
class ClimbShape:
    """How the exhaustive 2-opt climb is laid out.

    `warps` per block, `rows` of the neighbourhood per lane, `in_shared` whether the 16-bit tour
    lies in shared memory, `blocks` that should be resident on a multiprocessor.
    """

    warps: int
    rows: int
    in_shared: bool
    blocks: int

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block for tours of n cities."""
        ring = (32 * self.warps * self.rows + 2 * CHUNK) // GROUP * (GROUP + 1) * POINT_BYTES
        return ring + 2 * n * self.in_shared


def climb_shape(n: int, tours: int, shared_memory: int, fast_estimate: bool) -> ClimbShape:
    """Return the layout that keeps a multiprocessor busiest (O'Neil and Burtscher 2015, 3.3).

    Counted are resident warps, times the share of their work that evaluates moves: not that of
    lanes without a row, and not loading columns. Blocks are limited by registers, by shared memory
    and by the number of tours; few tours therefore get large blocks. Among equals, tours lie in
    shared memory.

    Parameters
    ----------
    n : int
        Cities.
    tours : int
        Tours per multiprocessor.
    shared_memory : int
        Bytes of a multiprocessor.
    fast_estimate : bool
        Of the metric; one without it needs its registers for the estimate.
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
        if n <= 1 << 16 or not in_shared
    ]
    return max(shapes, key=lambda c: (speed(c), c.in_shared, -c.warps))


# ---- Descents ------------------------------------------------------------------------------------

# Looking at a city surely takes less, its move included.
CUDA_SECONDS_PER_LOOK = 2e-6
CPU_SECONDS_PER_LOOK = 2e-6

SITE_BYTES = 12  # of the largest gls::Site
LAYOUTS = ("thread", "warp", "block", "global")
SURVIVOR_BYTES = 3 << 10  # static shared memory of a warp: first steps that are compacted
WARPS = 16  # of a block of tours held by warps
BLOCK_WARPS = (8, 4, 4)  # of a block that holds one tour
THREADS = 32  # of a block of tours held by threads
AHEAD = 4  # cities that a warp looks at together
FEW = 6  # tours a multiprocessor, below which each gets a block


def tour_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a tour in a descent: order, positions, queue and its bits."""
    return 3 * _padded(n * city_bytes) + _padded((n + 31) // 32 * 4)


def _padded(count: int) -> int:
    return (count + 15) // 16 * 16


@dataclass(frozen=True)
class DescentShape:
    """How descents are laid out.

    `team` is the C++ type that holds a tour, `teams` how many share a block; the tour is
    `in_shared` memory or in global memory, the cities `sites_in_shared`. A warp looks at `ahead`
    cities together.
    """

    team: str
    teams: int
    in_shared: bool
    sites_in_shared: bool
    blocks: int
    ahead: int = AHEAD

    @property
    def memory(self) -> str:
        """C++ type of the place where tours are kept."""
        if not self.in_shared:
            return "gls::GlobalMemory"
        return f"gls::SharedMemory<{str(self.sites_in_shared).lower()}>"

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        sites = _padded(n * SITE_BYTES) if self.sites_in_shared else 0
        return sites + self.teams * tour_bytes(n, 2) if self.in_shared else 0


def descent_shape(n: int, tours: int, shared_memory: int, layout: str = "auto") -> DescentShape:
    """Return who holds a tour, and where.

    Many tours are held by warps, which share a block's copy of the cities; few tours by blocks,
    whose warps look further ahead. Tours that do not fit into shared memory lie in global memory.

    Parameters
    ----------
    n : int
        Cities.
    tours : int
        Tours per multiprocessor.
    shared_memory : int
        Bytes that a block may have.
    layout : str
        One of `LAYOUTS` where the choice is made by the caller.
    """
    own, sites = tour_bytes(n, 2), _padded(n * SITE_BYTES)

    def rest(warps: int) -> int:
        return shared_memory - warps * SURVIVOR_BYTES - BLOCK_OVERHEAD

    fits = n <= 1 << 16 and own <= rest(BLOCK_WARPS[-1])
    if layout == "auto":
        warps = min(WARPS, tours)
        layout = "global" if not fits else "block" if tours < FEW else "warp"
        if layout == "warp" and own * FEW + sites > rest(FEW):
            layout = "block"
    if layout == "thread":
        return DescentShape(f"gls::Thread<{THREADS}>", THREADS, False, False, 1)
    if layout == "warp":
        warps = WARPS
        while warps > 1 and (warps > tours or own * warps + sites > rest(warps)):
            warps -= 1
        warps = next(w for w in (16, 12, 8, 6, 4, 2, 1) if w <= warps)
        return DescentShape(f"gls::Warp<{warps}>", warps, True, own * warps + sites <= rest(warps), 1)
    warps = next(w for w in BLOCK_WARPS if w * tours <= 16 or w == BLOCK_WARPS[-1])
    if layout == "global" or not fits:
        return DescentShape(f"gls::Block<{32 * warps}>", 1, False, False, 1)
    return DescentShape(f"gls::Block<{32 * warps}>", 1, True, own + sites <= rest(warps) // max(1, min(tours, 16 // warps)), 1)
