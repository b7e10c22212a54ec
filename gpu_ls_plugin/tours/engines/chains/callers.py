"""What chains need to know of the searches that use them, and chains of other domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.tours.engines.services import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.engines.chains.start import Start
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP


class Repair(Parameters, Protocol):
    """The search of a batch of tours: a `LocalSearch`."""

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
        """Return tours (P, n) as they are improved."""


class Kicking(Protocol):
    """What an iterated search says of its chains: `IteratedLocalSearch`."""

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

    @property
    def in_one_kernel(self) -> bool: ...

    def chains(self, start: Start) -> Any: ...

    def kicks_tours(self, problem: TSP) -> bool: ...

    def own_kicks(self, problem: Problem) -> int: ...


# Functions of other domains, added when those are imported: they return the chains of an iterated
# search whose kicks have kernels of their own, or None for other kicks.
chains_of_other_domains: list[Callable[[Kicking, Start, Perturbation], Chains | None]] = []
