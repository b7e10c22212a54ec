"""Sizes of complete neighbourhoods, and layouts of launches that evaluate them with a filter."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpu_ls_plugin.backends.structs import constant

# Side of a square of pairs, in positions, by the size of a sum of lengths in bytes.
SQUARE_SIDES = {
    size: constant("tours/engines/filtered/whole_mode.cuh", name)
    for size, name in ((4, "kNarrowSide"), (8, "kWideSide"))
}
LEAST_CHUNK_BYTES = 1 << 16  # minimum size of the list of a chunk, per tour
MOST_MOVES = {  # maximum number of moves or openings in a chunk, by mode
    "masked": 1 << 30,
    "fused": 1 << 30,
    "openings": 1 << 26,
    "whole": 1 << 30,
}
ENTRY_BYTES = 4  # size of an opening in a list
SLOTS = {"cuda": 64, "cpu": 8}  # teams per multiprocessor or CPU thread, for all tours together
MOVES_OF_SLOT = 128  # minimum number of moves per team
CUDA_SECONDS_PER_FILTERED = 2e-9  # upper bound on the time of a move on a multiprocessor
FILTER_WARPS = 8  # warps of a block that evaluates moves
FILTER_STEP_LANES = 512  # lanes of a block that applies moves
# Resident blocks per multiprocessor, without and with an objective that keeps data of tours.
FILTER_BLOCKS, ASKING_BLOCKS = 4, 2
# By the number of edges of a move: a queue pays off for tours with at least as many cities as the
# first number, if the share of kept moves is between the other two
# (benchmarks/results/filtered.json).
QUEUED = {2: (4000, 0.01, 0.35), 3: (400, 0.003, 0.6)}


@dataclass(frozen=True)
class Complete:
    """All moves that remove `edges` edges and reconnect the paths in one of `ways` ways."""

    functor: str  # C++ type
    edges: int
    ways: int
    largest: int  # maximum number of cities of a problem

    def moves(self, n: int) -> int:
        """Return the number of moves of a tour of n cities."""
        return n * (n - 3) // 2 if self.edges == 2 else self.ways * math.comb(n, 3)

    def numbers(self, n: int) -> int:
        """Return how many pairs or triples of positions a mapping numbers."""
        return math.comb(n - 1, 2) if self.edges == 2 else math.comb(n, 3)

    def squares(self, n: int, sum_bytes: int) -> int:
        """Return the number of squares of pairs, as gls::PairSquares::count does."""
        return math.comb(-(-n // SQUARE_SIDES[sum_bytes]) + 1, 2)

    def openings(self, n: int) -> int:
        """Return the number of openings for each way and rotation."""
        return n - 2 if self.edges == 2 else math.comb(n, 2)


PAIRS = Complete("gls::Pairs", edges=2, ways=1, largest=2**31 - 1)
PURE_RECONNECTIONS = constant("tours/moves/reconnection.cuh", "kPureReconnections")
# Products of two positions must fit into 32 bits.
TRIPLES = Complete("gls::Triples", edges=3, ways=PURE_RECONNECTIONS, largest=2**15)
COMPLETE = {space.edges: space for space in (PAIRS, TRIPLES)}  # by the number of edges of a move


def filter_slots(moves: int, tours: int, processors: int, backend: str) -> int:
    """Return the number of teams that evaluate the moves of a tour."""
    wanted = -(-SLOTS[backend] * processors // tours)
    return max(1, min(wanted, moves // MOVES_OF_SLOT))


def most_of_chunk(mode: str, variants: int, memory: int) -> int:
    """Return how many units a chunk may have; each unit has `variants` moves or openings.

    `memory` is the number of bytes that a tour may use for its list of openings.
    """
    usable = max(memory, LEAST_CHUNK_BYTES)
    most = MOST_MOVES[mode]
    if mode == "openings":
        most = min(most, usable // ENTRY_BYTES)
    return max(1, most // variants)


def filter_mode(
    backend: str,
    edges: int,
    n: int,
    *,
    opens: bool,
    ordered: bool,
    asks: bool = False,
    whole: bool = False,
    kept: float | None = None,
) -> str:
    """Return the mode of evaluation for moves with `edges` edges in tours of n cities.

    Parameters
    ----------
    backend : {"cpu", "cuda"}
    opens : bool
        Whether the filter tests openings.
    ordered : bool
        Whether the search takes the best move of the first chunk with an improving one. If so, the
        chunks, and therefore the mode, must not depend on the backend.
    asks : bool
        Whether an objective that keeps data of tours evaluates the moves.
    whole : bool
        Whether the filter keeps all moves.
    kept : float, optional
        Share of the moves that the filter has kept so far.
    """
    if asks and whole and edges > 2 and not ordered:
        return "whole"
    if backend == "cpu" or ordered or (opens and edges > 2):
        return "openings"
    if asks:
        return "fused"
    least, low, high = QUEUED[edges]
    return "fused" if n >= least and kept is not None and low <= kept <= high else "masked"
