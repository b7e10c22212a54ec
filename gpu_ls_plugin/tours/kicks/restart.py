"""Restarts: a random tour instead of a kicked one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.tours.construction.random_tours import shuffle
from gpu_ls_plugin.tours.kicks.base import KernelPerturbation

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Restart(KernelPerturbation):
    """Replace the tour with a uniform random one."""

    name = "restart"
    by_lengths = False

    def kicked(self, backend: Backend, problem: TSP, tours: Any, numbers: dict[str, int]) -> Any:
        """Return a random tour for each row; it depends only on the seed and the row's number."""
        return shuffle(backend, problem.n, len(tours), **numbers)
