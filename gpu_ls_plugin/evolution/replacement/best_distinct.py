"""Survival of the best different tours of parents and children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.tour_population import TourPopulation


@dataclass(frozen=True)
class BestDistinct:
    """Keep the best different tours of parents and children (a plus strategy)."""

    def __call__(
        self,
        problem: Problem,
        population: TourPopulation,
        children: TourPopulation,
        parents: tuple[Any, Any],
        size: int,
    ) -> TourPopulation:
        """Return the next population; see `Replacement`."""
        return population.joined(children).best(size)
