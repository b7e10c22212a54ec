"""How the moves that a filter keeps are evaluated, by how many teams, and in which chunks."""

from __future__ import annotations

LEAST_CHUNK_BYTES = 1 << 16  # of a tour: flags and lists of a chunk
MOST_MOVES = {
    "masked": 1 << 30,
    "fused": 1 << 30,
    "openings": 1 << 26,
    "whole": 1 << 30,
}
ENTRY_BYTES = 4  # of an opening in a list
SLOTS = {"cuda": 64, "cpu": 8}  # of all tours, on a multiprocessor or a CPU thread
CUDA_SECONDS_PER_FILTERED = 2e-9  # that a move surely does not exceed on a multiprocessor
MOVES_OF_SLOT = 128  # at least
FILTER_WARPS, FILTER_STEP_LANES = 8, 512  # of a block that evaluates, and of one that takes moves
FILTER_BLOCKS, ASKING_BLOCKS = 4, 2  # on a multiprocessor, and where an objective is asked
# By the edges of a move: cities from which on, and shares of kept moves between which, a queue
# saves more than it costs (benchmarks/results/filtered.json).
QUEUED = {2: (4000, 0.01, 0.35), 3: (400, 0.003, 0.6)}


def filter_slots(moves: int, tours: int, processors: int, backend: str) -> int:
    """Return by how many teams the moves of a tour are evaluated."""
    wanted = -(-SLOTS[backend] * processors // tours)
    return max(1, min(wanted, moves // MOVES_OF_SLOT))


def most_of_chunk(mode: str, variants: int, memory: int) -> int:
    """Return how many positions or openings a chunk may have, each in `variants`."""
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
    """Return how the moves that a filter keeps, taking out so many edges, are evaluated.

    Whether it `opens`: it tests openings; `ordered`: moves are evaluated in chunks the first of
    which counts, which must not depend on the backend; `asks`: moves that lengths leave are for an
    objective to judge, and lanes share them; `whole`: it keeps everything. `kept` is the share of
    the moves that it was seen to keep.
    """
    if asks and whole and edges > 2 and not ordered:
        return "whole"
    if backend == "cpu" or ordered or (opens and edges > 2):
        return "openings"
    if asks:
        return "fused"
    least, low, high = QUEUED[edges]
    return "fused" if n >= least and kept is not None and low <= kept <= high else "masked"
