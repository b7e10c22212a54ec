"""The contract between chains and an iterated search, and the chains of other domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.engines.chains.start import Repair, Start
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP


class Kicking(Protocol):
    """The properties of an `IteratedLocalSearch` that chains use."""

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


# Functions of other domains, which add them when they are imported. Each returns chains for the
# kicks that have kernels in its domain, and None for all other kicks.
chains_of_other_domains: list[Callable[[Kicking, Start, Perturbation], Chains | None]] = []
