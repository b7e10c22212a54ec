"""The start of chains, and the search that repairs their tours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.tours.engines.services import Parameters

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Start:
    """The tours that chains start from; chain r uses the random numbers of row `first_row` + r."""

    backend: Backend
    problem: TSP
    tours: Any  # (P, n) int32, local optima; chains change them in place
    seed: int
    first_row: int = 0
    max_moves: int = NO_LIMIT  # a chain stops after as many moves, `moves` included
    moves: Any = 0  # (P,) int64, moves of each chain so far
    moves_by: Any = 0  # (K,) int64, moves of each neighbourhood so far, if there are several


class Repair(Parameters, Protocol):
    """The local search of a batch of tours: a `LocalSearch`."""

    @property
    def parts(self) -> tuple[Any, ...]:
        """Parts of the kernels besides the metric."""

    def __call__(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str | Backend = "auto",
        first_row: int = 0,
    ) -> Result:
        """Return the improved tours."""
