"""Types for what chains start from: tours, a local search and an iterated search."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol, cast

from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.tours.engines.services import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Start:
    """The tours that chains start from; chain r uses the random numbers of row `first_row` + r."""

    backend: Backend
    problem: TSP
    tours: Any  # (P, n) int32, local optima; chains change them in place
    seed: int
    first_row: int = 0
    max_moves: int = NO_LIMIT  # a chain stops after this many moves, including `moves`
    moves: Any = 0  # (P,) int64, number of moves of each chain so far
    moves_by: Any = 0  # (K,) int64, number of moves by each neighbourhood so far

    @classmethod
    def on_arrays(cls, backend: Backend, n: int, tours: Any, seed: int, **more: int) -> Start:
        """Return a start on rows of n cities whose instances are arrays, not a problem."""
        # A run of chains reads no more of its problem than these attributes.
        nodes = cast("TSP", SimpleNamespace(n=n, rows=None))
        return cls(backend, nodes, tours, seed, **more)


class Repair(Parameters, Protocol):
    """The local search that repairs a batch of tours: a `LocalSearch`."""

    @property
    def parts(self) -> tuple[Any, ...]: ...

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


class Kicking(Protocol):
    """The iterated search that runs chains: an `IteratedLocalSearch`."""

    @property
    def search(self) -> Repair: ...

    @property
    def cooperation(self) -> Any: ...

    @property
    def accept(self) -> Acceptance: ...

    @property
    def restart_after(self) -> int | None: ...

    @property
    def parts(self) -> tuple[Any, ...]: ...

    def chains(self, start: Start) -> Any: ...

    def kicks_tours(self, problem: TSP) -> bool: ...

    def own_kicks(self, problem: Problem) -> int: ...

    def kick_on(self, problem: TSP) -> Perturbation: ...


# Functions that other domains append when they are imported. Each returns chains for the kicks that
# have kernels in its domain, and None for all other kicks.
chains_of_other_domains: list[Callable[[Kicking, Start, Perturbation], Any]] = []
# Functions that other domains append when they are imported. For a problem of its domain, each
# returns the given kick, or the default one if none is given, and raises UnsupportedProblemError if
# the problem does not support the kick. For all other problems, it returns None.
kicks_of_other_domains: list[Callable[[TSP, Perturbation | None], Perturbation | None]] = []
