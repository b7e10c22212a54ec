"""Launch layouts of filtered neighbourhoods: the mode of evaluation, teams and chunks."""

from __future__ import annotations

LEAST_CHUNK_BYTES = 1 << 16  # per tour, for the list of a chunk
MOST_MOVES = {
    "masked": 1 << 30,
    "fused": 1 << 30,
    "openings": 1 << 26,
    "whole": 1 << 30,
}
ENTRY_BYTES = 4  # of an opening in a list
SLOTS = {"cuda": 64, "cpu": 8}  # teams per multiprocessor or CPU thread, for all tours together
CUDA_SECONDS_PER_FILTERED = 2e-9  # upper bound for a move on a multiprocessor
MOVES_OF_SLOT = 128  # least moves of a team
FILTER_WARPS, FILTER_STEP_LANES = 8, 512  # of a block that evaluates; of one that applies moves
FILTER_BLOCKS, ASKING_BLOCKS = 4, 2  # resident blocks without and with an objective to ask
# By the edges of a move: the least number of cities, and the least and largest share of kept
# moves, for which a queue pays (benchmarks/results/filtered.json).
QUEUED = {2: (4000, 0.01, 0.35), 3: (400, 0.003, 0.6)}


def filter_slots(moves: int, tours: int, processors: int, backend: str) -> int:
    """Return the number of teams that evaluate the moves of a tour."""
    wanted = -(-SLOTS[backend] * processors // tours)
    return max(1, min(wanted, moves // MOVES_OF_SLOT))


def most_of_chunk(mode: str, variants: int, memory: int) -> int:
    """Return the most positions or openings of a chunk, with `variants` moves or openings each."""
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
    edges, n : int
    opens : bool
        Whether the filter tests openings.
    ordered : bool
        Whether the first chunk with an improving move counts; then chunks, and so the mode, must
        not depend on the backend.
    asks : bool
        Whether an objective judges the moves, beside lengths.
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
