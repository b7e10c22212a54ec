"""Launch numbers, by device class: the one table of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

# Dynamic shared memory that one block may have, in bytes, by compute capability.
SHARED_MEMORY = {75: 64 << 10, 80: 163 << 10, 90: 227 << 10, 100: 227 << 10}

# What a kick and its repair take at most.
SECONDS_PER_KICK = {"cuda": 5e-6, "cpu": 5e-5}
LAUNCH_SECONDS = 0.05  # a launch should take about this long, so that searches can be stopped

# What a pass over a tour of n cities surely does not exceed, in seconds: on a multiprocessor by
# the number of moves, on a CPU thread by n, for one move per pass and for several.
CUDA_SECONDS_PER_MOVE = {False: 2e-10, True: 1e-9}
CPU_SECONDS_PER_CITY = {False: 1e-8, True: 1e-6}

POINT_BYTES = 16  # gls::Point
LARGEST_SHORT = 1 << 16  # cities with 16-bit numbers
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
        if n <= LARGEST_SHORT or not in_shared
    ]
    return max(shapes, key=lambda c: (speed(c), c.in_shared, -c.warps))


# ---- Descents ------------------------------------------------------------------------------------

# What a look at a city, its move included, takes at most.
SECONDS_PER_LOOK = {"cuda": 1e-6, "cpu": 2e-6}
SITE_BYTES = 12  # of the largest gls::Site
LAYOUTS = ("thread", "warp", "block", "global")
WARPS = (16, 12, 8, 6, 4, 2, 1)  # of a block of tours held by warps
# Lanes of a block that holds one tour, by the cities up to which that is best; half of them where
# a multiprocessor has more than FEW tours.
BLOCK_LANES = {2_000: 128, 8_000: 256}
LARGE_LANES = 384  # beyond, and where tours lie in global memory; more would lack registers
FEW = 2
SOME = 8  # tours a multiprocessor, from which on each gets a warp
THREADS = 32  # of a block of tours held by threads
# Of a sweep, by the cities of all tours: cities of a chunk, and among how many blocks their first
# steps are shared. Where many share many, none is left alone with a city whose edges are long;
# large instances need what neighbouring lanes read in common.
SWEEP_SHAPES: tuple[tuple[float, int, int], ...] = (
    (2_000, 64, 64),
    (10_000, 64, 32),
    (40_000, 8, 2),
    (math.inf, 8, 1),
)
SWEEP_LANES = 128
CPU_SWEEP_CITIES = 8


def _padded(count: int, to: int = 16) -> int:
    return -(-count // to) * to


def survivor_bytes(length_bytes: int) -> int:
    """Return what is kept of a first step that gains; there is room for two for each lane."""
    return 16 + 2 * length_bytes


def tour_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a tour in a descent: order, positions, queue and its bits."""
    return 3 * _padded(n * city_bytes) + _padded((n + 31) // 32 * 4)


@dataclass(frozen=True)
class DescentShape:
    """How descents are laid out.

    `team` is the C++ type that holds a tour, of `lanes` lanes, `teams` how many share a block; the
    tour is `in_shared` memory or in global memory, and the cities `sites_in_shared`.
    """

    team: str
    lanes: int
    teams: int
    in_shared: bool
    sites_in_shared: bool

    @property
    def memory(self) -> str:
        """C++ type of the place where tours are kept."""
        if not self.in_shared:
            return "gls::GlobalMemory"
        return f"gls::SharedMemory<{str(self.sites_in_shared).lower()}>"

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        if not self.in_shared:
            return 0
        sites = _padded(n * SITE_BYTES) if self.sites_in_shared else 0
        return sites + self.teams * tour_bytes(n, 2)

    @property
    def first_steps(self) -> int:
        """How many a team looks at together."""
        return 64 if self.lanes == 32 else self.lanes

    def ahead(self, steps: int) -> int:
        """Return how many cities of `steps` first steps a team looks at together."""
        return max(1, self.first_steps // max(1, steps))


def descent_shape(
    n: int, tours: int, shared_memory: int, layout: str = "auto", length_bytes: int = 4
) -> DescentShape:
    """Return who holds a tour, and where.

    Many tours are held by warps, which share a block's copy of the cities; few tours by blocks,
    whose lanes look further ahead. Tours that do not fit into shared memory lie in global memory.

    Parameters
    ----------
    n : int
        Cities.
    tours : int
        Tours per multiprocessor.
    shared_memory : int
        Bytes that a block may have.
    layout : str
        One of `LAYOUTS` where the choice is the caller's.
    length_bytes : int
        Of a number in which lengths are added up.
    """
    own, sites = tour_bytes(n, 2), _padded(n * SITE_BYTES)

    def room(lanes: int) -> int:
        return shared_memory - 2 * lanes * survivor_bytes(length_bytes) - BLOCK_OVERHEAD

    def fitting(teams: int) -> bool:
        return n <= LARGEST_SHORT and teams * own + sites <= room(32 * teams)

    lanes = next((count for most, count in BLOCK_LANES.items() if n <= most), LARGE_LANES)
    lanes = lanes if tours <= FEW else lanes // 2
    if layout == "auto":
        many = tours >= SOME and fitting(SOME)
        layout = "warp" if many else "block"
    if layout == "thread":
        return DescentShape(f"gls::Thread<{THREADS}>", 1, THREADS, False, False)
    if layout == "warp":
        warps = next((w for w in WARPS if w <= max(1, tours) and fitting(w)), 1)
        in_shared = n <= LARGEST_SHORT and own <= room(32)
        return DescentShape(f"gls::Warp<{warps}>", 32, warps, in_shared, fitting(warps))
    in_shared = layout != "global" and n <= LARGEST_SHORT and own <= room(lanes)
    lanes = lanes if in_shared else LARGE_LANES
    beside = in_shared and tours * (own + sites) <= room(lanes)  # of all blocks
    return DescentShape(f"gls::Block<{lanes}>", lanes, 1, in_shared, beside)


def sweep_shape(n: int, tours: int, backend: str) -> tuple[int, int, int]:
    """Return how a sweep is divided.

    Returns
    -------
    chunks, shares, lanes : int
        Chunks of the cities of a tour, shares of the first steps of a chunk, lanes for each share.
    """
    if backend == "cpu":
        return -(-n // CPU_SWEEP_CITIES), 1, 1
    cities, shares = next((c, s) for most, c, s in SWEEP_SHAPES if n * tours <= most)
    return -(-n // cities), shares, SWEEP_LANES


# ---- Chains --------------------------------------------------------------------------------------

# Warps of a block of chains, and blocks of a multiprocessor, by how many registers the moves need;
# the first that fit are taken. Chains on parts need a few more than those on whole tours.
ONE_BLOCK = tuple((warps, 1) for warps in (16, 14, 12, *range(10, 0, -1)))
PART_WARPS = {
    "few": ((12, 2), (10, 2), (18, 1), *ONE_BLOCK),
    "some": ONE_BLOCK,
    "many": ONE_BLOCK[2:],
}
CHAIN_WARPS = {**PART_WARPS, "few": ((16, 2), (14, 2), *PART_WARPS["few"])}
FEW_CHAINS = 10  # on a multiprocessor
CONTRACTED_WARPS = {"few": (2, 10), "some": (2, 8), "many": (2, 6)}
JOURNAL, CHAIN_QUEUE = 96, 128  # gls::kJournal and gls::kChainQueue
MOVE_BYTES, DRAWN_BYTES = 80, 132  # gls::Move, gls::DrawnNumbers
STATE_BYTES = 56  # gls::Chain::State without its counts of moves


@dataclass(frozen=True)
class ChainNeeds:
    """What a chain needs beside its tour.

    A city's site takes `site_bytes`, a number in which lengths are added up `length_bytes`; moves
    are counted by `neighbourhoods` and need "few", "some" or "many" `registers`.
    """

    site_bytes: int = SITE_BYTES
    length_bytes: int = 4
    neighbourhoods: int = 1
    registers: str = "some"

    @property
    def slot_bytes(self) -> int:
        """Of gls::Chain::Slots."""
        survivors = 2 * 32 * survivor_bytes(self.length_bytes)
        kick = 16 + 9 * self.length_bytes + DRAWN_BYTES  # five places, aligned, and eight lengths
        counts = 4 * self.neighbourhoods if self.neighbourhoods > 1 else 0
        return _padded(_padded(MOVE_BYTES + survivors + kick, 8) + _padded(counts, 8) + STATE_BYTES)


def chain_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a tour in a chain: order, positions, queue, its bits, journal."""
    return (
        2 * _padded(n * city_bytes)
        + _padded(CHAIN_QUEUE * city_bytes)
        + _padded(2 * JOURNAL * city_bytes)
        + _padded((n + 31) // 32 * 4)
    )


def warp_bytes(n: int, needs: ChainNeeds) -> int:
    """Return the shared memory of a warp that holds a chain."""
    return chain_bytes(n, 2) + needs.slot_bytes


def part_bytes(n: int, needs: ChainNeeds) -> int:
    """Return that of a chain on a part, which has sites and mates of its own."""
    return warp_bytes(n, needs) + _padded(n * needs.site_bytes) + _padded(2 * n)


@dataclass(frozen=True)
class ChainShape(DescentShape):
    """How chains are laid out.

    `blocks` of them should be resident on a multiprocessor.
    """

    blocks: int = 1
    needs: ChainNeeds = ChainNeeds()

    @property
    def first_steps(self) -> int:
        """How many a team looks at together: more where few warps leave a scheduler idle."""
        few = self.lanes == 32 and self.teams * self.blocks <= FEW_CHAINS
        return super().first_steps * (2 if few else 1)

    @property
    def city(self) -> str:
        """C++ type of the cities' numbers."""
        return "gls::uint16" if self.in_shared else "int"

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        if not self.in_shared:
            return 0
        sites = _padded(n * self.needs.site_bytes) if self.sites_in_shared else 0
        return sites + self.teams * warp_bytes(n, self.needs)


@dataclass(frozen=True)
class PartShape(ChainShape):
    """How chains on parts are laid out."""

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        return self.teams * part_bytes(n, self.needs)


@dataclass(frozen=True)
class HostShape(ChainShape):
    """Tours on the CPU, one for each thread."""

    short: bool = False

    @classmethod
    def of(cls, n: int) -> HostShape:
        """Return the layout for tours of n cities."""
        return cls("gls::Host", 1, 1, True, False, short=n <= LARGEST_SHORT)

    @property
    def city(self) -> str:
        """C++ type of the cities' numbers."""
        return "gls::uint16" if self.short else "int"

    @property
    def memory(self) -> str:
        """C++ type of the place where tours are kept."""
        return f"gls::HostMemory<{self.city}>"

    def shared_bytes(self, n: int) -> int:
        """Return 0."""
        return 0


def _first_fitting(
    layouts: Iterable[tuple[int, int]], own: int, shared_memory: int
) -> tuple[int, int, int] | None:
    """Return the first warps and blocks with `own` bytes a warp, and the bytes a block has left."""
    for warps, blocks in layouts:
        room = (shared_memory + BLOCK_OVERHEAD) // blocks - BLOCK_OVERHEAD
        left = room - warps * own
        if left >= 0:
            return warps, blocks, left
    return None


def chain_shape(n: int, tours: int, shared_memory: int, needs: ChainNeeds) -> ChainShape:
    """Return who holds a chain, and where.

    Parameters
    ----------
    n : int
        Cities.
    tours : int
        Chains per multiprocessor.
    shared_memory : int
        Bytes that a block may have.
    needs : ChainNeeds
    """
    layouts = [(w, b) for w, b in CHAIN_WARPS[needs.registers] if w * b <= max(1, tours)]
    fitting = _first_fitting(layouts, warp_bytes(n, needs), shared_memory)
    if fitting is None or n > LARGEST_SHORT:
        return ChainShape(f"gls::Block<{LARGE_LANES}>", LARGE_LANES, 1, False, False)
    warps, blocks, left = fitting
    beside = _padded(n * needs.site_bytes) <= left
    return ChainShape(f"gls::Warp<{warps}>", 32, warps, True, beside, blocks, needs)


def part_shape(n: int, shared_memory: int, needs: ChainNeeds) -> ChainShape:
    """Return who holds a chain on a part of n cities, as `chain_shape` does for many chains.

    Raises
    ------
    InvalidParameterError
        The part is too large for shared memory.
    """
    own = part_bytes(n, needs)
    fitting = _first_fitting(PART_WARPS[needs.registers], own, shared_memory)
    if fitting is None:
        raise InvalidParameterError(
            f"part: {n:,} cities do not fit into shared memory; choose fewer"
        )
    return _part_shape(*fitting[:2], needs)


def contracted_shape(n: int, shared_memory: int, needs: ChainNeeds) -> ChainShape | None:
    """Return who holds a chain on a contracted problem of n cities; None if nobody can.

    The same for all n, since that changes from one exchange to the next and each layout is a
    program of its own: small blocks, as many of which are resident as there is room for.
    """
    warps, blocks = CONTRACTED_WARPS[needs.registers]
    own = part_bytes(n, needs)
    if _first_fitting([(warps, 1)], own, shared_memory) is None:
        return None
    return _part_shape(warps, blocks, needs)


def _part_shape(warps: int, blocks: int, needs: ChainNeeds) -> PartShape:
    return PartShape(f"gls::Warp<{warps}>", 32, warps, True, False, blocks, needs)


# ---- Multi improvement ---------------------------------------------------------------------------

# Lanes of a block that looks at many cities together, by how many registers the moves need; those
# of one whose tours lie in global memory, which has static shared memory alone for the rest.
MULTI_LANES = {"few": 512, "some": 512, "many": 384}
MULTI_GLOBAL_LANES = 256
TOGETHER_BYTES = 25_888  # gls::Together


@dataclass(frozen=True)
class MultiShape(DescentShape):
    """How multi improvement is laid out."""

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        return super().shared_bytes(n) + TOGETHER_BYTES * self.in_shared


def multi_shape(n: int, shared_memory: int, needs: ChainNeeds, layout: str = "auto") -> MultiShape:
    """Return how many lanes look at the cities of a tour together, and where it lies.

    Parameters
    ----------
    n : int
        Cities.
    shared_memory : int
        Bytes that a block may have.
    needs : ChainNeeds
        Of chains with the same moves.
    layout : str
        "global" keeps the tour out of shared memory.
    """
    lanes = MULTI_LANES[needs.registers]
    notes = lanes // 32 * (MOVE_BYTES + 2 * 32 * survivor_bytes(needs.length_bytes))
    room = shared_memory - TOGETHER_BYTES - notes - BLOCK_OVERHEAD
    own, sites = tour_bytes(n, 2), _padded(n * SITE_BYTES)
    in_shared = layout != "global" and n <= LARGEST_SHORT and own <= room
    lanes = lanes if in_shared else MULTI_GLOBAL_LANES
    return MultiShape(
        f"gls::Block<{lanes}>", lanes, 1, in_shared, in_shared and own + sites <= room
    )


# ---- Crossover -----------------------------------------------------------------------------------

MOST_CUTS, MOST_EDGES = 256, 512  # gls::kMostCuts and gls::kMostEdges
ASSEMBLY_STATIC_BYTES = 16  # of a warp
LARGE_WARPS = 8  # of a block whose tours lie in global memory


def assembly_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a tour that takes part in a crossover, as gls::EdgeAssembly has it."""
    pieces = (*3 * (n,), 2 * n, MOST_EDGES + 1, *2 * (MOST_CUTS,), *3 * (2 * MOST_CUTS,))
    words = 2 * _padded((n + 31) // 32 * 4) + _padded(4 * MOST_CUTS * 4)
    return words + sum(_padded(count * city_bytes) for count in pieces)


@dataclass(frozen=True)
class AssemblyShape(ChainShape):
    """How crossovers are laid out."""

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        return self.teams * assembly_bytes(n, 2)


def assembly_shape(n: int, tours: int, shared_memory: int) -> ChainShape:
    """Return who holds a tour in a crossover, as `chain_shape` does for chains."""
    layouts = [(warps, blocks) for warps, blocks in ONE_BLOCK if warps <= max(1, tours)]
    own = assembly_bytes(n, 2) + ASSEMBLY_STATIC_BYTES
    fitting = _first_fitting(layouts, own, shared_memory)
    if fitting is None or n > LARGEST_SHORT:
        return ChainShape(f"gls::Warp<{LARGE_WARPS}>", 32, LARGE_WARPS, False, False)
    warps, blocks, _ = fitting
    return AssemblyShape(f"gls::Warp<{warps}>", 32, warps, True, False, blocks)


# ---- Filtered neighbourhoods ---------------------------------------------------------------------

LEAST_PART_BYTES = 1 << 16  # of a tour: flags and lists of a part
MOST_MOVES = {"masked": 1 << 30, "fused": 1 << 30, "compact": 1 << 27, "openings": 1 << 26}
ENTRY_BYTES = {"compact": 4.125, "openings": 4}  # of a move's flag and of its place in a list
SLOTS = {"cuda": 64, "cpu": 8}  # of all tours, on a multiprocessor or a CPU thread
CUDA_SECONDS_PER_FILTERED = 2e-9  # that a move surely does not exceed on a multiprocessor
MOVES_OF_SLOT = 128  # at least
FILTER_WARPS, FILTER_STEP_LANES = 8, 512  # of a block that evaluates, and of one that takes moves
FILTER_BLOCKS = 4  # on a multiprocessor
# By the edges of a move: cities from which on, and shares of kept moves between which, a queue
# saves more than it costs (benchmarks/results/filtered.json).
QUEUED = {2: (4000, 0.01, 0.35), 3: (400, 0.003, 0.6)}


def filter_slots(moves: int, tours: int, processors: int, backend: str) -> int:
    """Return by how many teams the moves of a tour are evaluated."""
    wanted = -(-SLOTS[backend] * processors // tours)
    return max(1, min(wanted, moves // MOVES_OF_SLOT))


def most_of_part(mode: str, variants: int, memory: int) -> int:
    """Return how many positions or openings a part may have, each in `variants`."""
    usable = max(memory, LEAST_PART_BYTES)
    fitting = int(usable / ENTRY_BYTES[mode]) if mode in ENTRY_BYTES else MOST_MOVES[mode]
    return max(1, min(MOST_MOVES[mode], fitting) // variants)


def filter_mode(
    backend: str, edges: int, n: int, *, opens: bool, ordered: bool, kept: float | None = None
) -> str:
    """Return how the moves that a filter keeps are evaluated.

    Parameters
    ----------
    backend : str
    edges, n : int
        That a move takes out; cities.
    opens : bool
        Whether the filter tests openings.
    ordered : bool
        Whether the moves are evaluated in parts the first of which counts, which must not depend
        on the backend.
    kept : float, optional
        Share of the moves that the filter was seen to keep.
    """
    if backend == "cpu" or ordered or (opens and edges > 2):
        return "openings"
    least, low, high = QUEUED[edges]
    return "fused" if n >= least and kept is not None and low <= kept <= high else "masked"
