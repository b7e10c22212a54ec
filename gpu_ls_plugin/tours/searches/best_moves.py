"""The best moves of a filtered neighbourhood, for custom searches (Schulz 2013, 6.15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import constant, real_constant
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.tours.engines.engine import RANKED_BYTES
from gpu_ls_plugin.tours.engines.filtered.filtered_moves import FilteredMoves
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.searches.search_call import Call

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.moves.base import Neighbourhood

MOST = 10_000  # maximum k; each move requires an evaluation of the neighbourhood
FIRST = {"int32": -(2**31), "int64": -(2**63), "float64": -np.inf}  # less than any change
STEP = "tours/engines/exhaustive/three_opt_step.cuh"
NONE = {  # marks of "no move"; more than any change
    "int32": constant(STEP, "kNarrowNone"),
    "int64": constant(STEP, "kWideNone"),
    "float64": real_constant(STEP, "kRealNone"),
}


@dataclass(frozen=True)
class BestMoves:
    """Moves of each tour of a batch, best first.

    Attributes
    ----------
    positions : ndarray, shape (P, k, 2 or 3), int32
        A move removes the edges after these positions of the tour. -1 if there are fewer than k
        moves.
    ways : ndarray, shape (P, k), int32
        How a move reconnects the paths: 0 in 2-opt, 0 to 3 in 3-opt (`tours/moves/
        reconnection.cuh`). -1 if there are fewer than k moves.
    gains : ndarray, shape (P, k), int64 or float64
        How much shorter a move makes the tour; negative if the tour gets longer, 0 if there are
        fewer than k moves.
    """

    positions: NDArray[np.int32]
    ways: NDArray[np.int32]
    gains: NDArray[Any]


def best_moves(
    neighbourhood: Neighbourhood,
    problem: Problem,
    tours: Any,
    k: int = 10,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
    memory_limit: int | None = None,
    first_row: int = 0,
) -> BestMoves:
    """Return for each tour the k best moves that a filter keeps, improving or not.

    The function is for custom searches (Schulz 2013, 6.15). Moves are sorted by gain, then by
    `positions` and `ways`. The neighbourhood is evaluated k times, once for each move. Don't-look
    bits are set as at the start of a search. If the filter contains `GainBound`, the mode may
    change which non-improving moves are kept.

    Parameters
    ----------
    neighbourhood : FilteredNeighbourhood
    problem : Problem
        A TSP, with symmetric distances.
    tours : array, shape (P, n), integer
        Not changed.
    k : int
        Number of moves per tour, from 1 to 10,000.
    seed : int or None
        Key of the random numbers of `RandomKeep`, as in the first pass of a search. None draws one.
    first_row, backend, device, memory_limit
        As in `LocalSearch`. Large neighbourhoods are evaluated in chunks.

    Returns
    -------
    BestMoves
        Its arrays are NumPy arrays.

    Raises
    ------
    InvalidTypeError
        `neighbourhood` is not filtered.
    InvalidParameterError, InvalidTourError, UnsupportedProblemError, InsufficientMemoryError
        As in `LocalSearch`.
    """
    if not isinstance(neighbourhood, FilteredNeighbourhood):
        raise InvalidTypeError(
            f"neighbourhood: {neighbourhood!r} is not a FilteredNeighbourhood, such as "
            "FilteredNeighbourhood(TwoOpt(), GainBound())"
        )
    count = checks.integer("k", k, least=1, most=MOST)
    call = Call(
        problem,
        [neighbourhood],
        tours,
        seed=seed,
        backend=backend,
        device=device,
        memory_limit=memory_limit,
        first_row=first_row,
    )
    with call.backend.current():
        found = [
            _best_of_batch(
                FilteredMoves(
                    call.backend,
                    call.problem,
                    call.tours[rows],
                    neighbourhood,
                    0x7FFFFFFF,
                    seed=call.seed,
                    first_row=call.first_row + rows.start,
                    memory=call.memory(),
                ),
                count,
            )
            for rows in call.turns(FilteredMoves.bytes_per_tour(problem.n, neighbourhood))
        ]
    return BestMoves(*(np.concatenate(batches) for batches in zip(*found, strict=True)))


def _best_of_batch(batch: FilteredMoves, k: int) -> tuple[Any, Any, Any]:
    """Return positions, ways and gains of the best moves of a batch's tours."""
    edges, ways = batch.space.edges, batch.space.ways
    size, n = batch.tours.shape
    positions = np.full((size, k, edges), -1, "int32")
    way = np.full((size, k), -1, "int32")
    gains = np.zeros((size, k), batch.problem.cost_dtype)
    if n < batch.smallest:
        return positions, way, gains
    changes, ranks = _ranked_moves(batch, k)
    there = changes < NONE[str(changes.dtype)]
    way[there], ranks = (ranks % ways)[there], ranks // ways
    for edge in reversed(range(edges)):
        positions[..., edge][there] = (ranks % n)[there]
        ranks = ranks // n
    gains[there] = -changes[there].astype(gains.dtype)
    return positions, way, gains


def _ranked_moves(batch: FilteredMoves, k: int) -> tuple[Any, Any]:
    """Return the changes and the ranks of a batch's best moves, each of shape (P, k)."""
    size, dtype, xp = len(batch.tours), batch.dtype, batch.backend.xp
    ranked = np.dtype({"names": ["change", "rank"], "formats": [dtype, "int64"], "offsets": [0, 8],
                       "itemsize": RANKED_BYTES})  # fmt: skip
    before = np.zeros(size, ranked)
    before["change"] = FIRST[dtype]
    nothing = np.zeros((size, batch.slots), ranked)
    nothing["change"] = NONE[dtype]
    batch.arguments |= {
        name: xp.asarray(array.view("uint8")) for name, array in
        (("before", before), ("best", nothing))
    }  # fmt: skip
    kernels = batch.kernels.evaluation(batch.mode, sink="Following")
    step = batch.kernels.step("NoteFiltered")
    moves = np.empty((size, k), ranked)
    for place in range(k):
        for _ in range(batch.arguments["chunks"]):
            batch.evaluate(kernels, step)
        moves[:, place] = batch.backend.to_numpy(batch.arguments["before"]).view(ranked).ravel()
        if (moves["change"][:, place] >= NONE[dtype]).all():
            moves[:, place + 1 :]["change"] = NONE[dtype]
            break
    return moves["change"], moves["rank"]
