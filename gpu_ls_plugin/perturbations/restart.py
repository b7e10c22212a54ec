"""A fresh random tour in place of a kick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.construction.random_tours import shuffle
from gpu_ls_plugin.perturbations.on_backend import KernelPerturbation

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.tsp import TSP


@dataclass(frozen=True)
class Restart(KernelPerturbation):
    """Start afresh: a uniform random tour, whatever the tour was before."""

    name = "restart"
    by_lengths = False

    def kicked(self, backend: Backend, problem: TSP, tours: Any, numbers: dict[str, int]) -> Any:
        """Return a random tour for each row, which depends on its number and the seed alone."""
        return shuffle(backend, problem.n, len(tours), **numbers)
