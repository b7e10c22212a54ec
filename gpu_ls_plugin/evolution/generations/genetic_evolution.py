"""Generations of many populations of routes, as `HybridGeneticSearch` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.construction import savings
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.problems.cvrp import routing_problem
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.searches.genetic.genetic_population import GeneticPopulation

if TYPE_CHECKING:
    import numpy as np

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.evolution.run import FrameworkRun
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.searches import HybridGeneticSearch


@dataclass(frozen=True)
class GeneticEvolution(Evolution[GeneticPopulation]):
    """Populations of routes that are bred side by side, of which the best ones are told.

    Parameters
    ----------
    search : HybridGeneticSearch
    populations : int
    backend : str
    """

    search: HybridGeneticSearch
    populations: int
    backend: str = "auto"

    @property
    def size(self) -> int:
        """Number of tours that are told: one of each population."""
        return self.populations

    def prepare(self, problem: TSP) -> None:
        """Compile what a run needs, ahead of it."""
        self.search.prepare(routing_problem(problem), self.size, backend=self.backend)

    def start(
        self,
        problem: TSP,
        random_state: np.random.Generator,
        run: FrameworkRun,
        given: Tours | None = None,
    ) -> GeneticPopulation:
        """Return populations of local optima around `given` tours and others of savings."""
        seed = int(random_state.integers(2**63))
        tours = savings(routing_problem(problem), self.size, seed=seed, backend=self.backend)
        if given is not None:
            kept = given[: self.size]
            tours[: len(kept)] = kept
        backend = get_backend(self.backend).name
        population = self.search.population(problem, tours, seed=seed, backend=backend)
        return self.next(problem, population, random_state, run)

    def next(
        self,
        problem: TSP,
        population: GeneticPopulation,
        random_state: np.random.Generator,
        run: FrameworkRun,
    ) -> GeneticPopulation:
        """Let each population go on by a generation (in place)."""
        seconds = run.seconds_left()
        if seconds > 0:
            run.account(population.advance(Stretch(seconds, generations=1)))
        return population
