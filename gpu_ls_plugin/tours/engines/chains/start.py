"""Where chains begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.budget import NO_LIMIT

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Start:
    """Where chains begin, on a backend; row r has the random numbers of row `first_row` + r."""

    backend: Backend
    problem: TSP
    tours: Any  # (P, n) int32, local optima; changed in place
    seed: int
    first_row: int = 0
    max_moves: int = NO_LIMIT  # after which a chain stops
    moves: Any = 0  # (P,) int64, that each has made already
    moves_by: Any = 0  # (K,) int64, by neighbourhoods, of all chains, where there are several
