"""Where chains begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.budget import NO_LIMIT

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.tsp import TSP


@dataclass(frozen=True)
class Start:
    """Where chains begin.

    Attributes
    ----------
    backend : Backend
    problem : TSP
    tours : array of the backend, shape (P, n), int32
        Local optima; changed in place.
    seed, first_row : int
        Row r of the batch has the random numbers of row `first_row` + r.
    max_moves : int
        Moves after which a chain stops.
    moves : array of the backend, shape (P,), int64
        Moves that each has made already.
    moves_by : array of the backend, shape (K,), int64
        The same by neighbourhoods, of all together, where there are several.
    """

    backend: Backend
    problem: TSP
    tours: Any
    seed: int
    first_row: int = 0
    max_moves: int = NO_LIMIT
    moves: Any = 0
    moves_by: Any = 0
