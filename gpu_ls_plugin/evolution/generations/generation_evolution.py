"""Generations of children that are crossed, searched and selected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.evolution.batches.starts import Starts
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.evolution.generations.generation import Generation
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


@dataclass(frozen=True)
class GenerationEvolution(Evolution[TourPopulation]):
    """A `Generation` after the other, from searched tours of a construction.

    Parameters
    ----------
    generation : Generation
    tours : int
        Of the population.
    construction : str or callable, optional
        As in `Starts`.
    children : int, optional
        Of each generation; as many as the population has tours if None.
    """

    generation: Generation
    tours: int
    construction: Any = None
    children: int | None = None

    @property
    def size(self) -> int:
        """Tours of a population, if there are so many."""
        return self.tours

    @property
    def _starts(self) -> Starts:
        return Starts(self.construction, self.generation.improver)

    def prepare(self, problem: Problem) -> None:
        """Compile what a run needs, ahead of it."""
        crossover, improver = self.generation.crossover, self.generation.improver
        self._starts.prepare(problem, max(self.size, self.children or 0))
        pairs = self.children or self.size  # by which crossovers are laid out
        tours = domain_of(problem).some_rows(problem, pairs)
        instance = crossover.instance(problem)
        crossover.cross(instance, tours, tours, seed=0, backend=improver.backend)

    def start(
        self,
        problem: Any,
        random_state: np.random.Generator,
        run: FrameworkRun,
        given: Tours | None = None,
    ) -> TourPopulation:
        """Return the given tours and as many searched ones as are missing."""
        backend = get_backend(self.generation.improver.backend)
        kept = [] if given is None else [given[: self.size]]
        missing = self.size - sum(map(len, kept))
        if missing:
            made: Any = self._starts.construct(problem, missing, random_state)
            found = self.generation.improver.search_rows(problem, made, random_state, run)
            kept.append(made if found is None else found.tours)
        tours = backend.xp.asarray(np.concatenate(kept))
        costs = domain_of(problem).searched_costs(problem, backend, tours)
        start = TourPopulation.of(problem, backend.xp, tours, costs)
        return start.best(self.size)

    def next(
        self,
        problem: Problem,
        population: TourPopulation,
        random_state: np.random.Generator,
        run: FrameworkRun,
    ) -> TourPopulation:
        """Return the best tours of the population and its children."""
        here = population.on(get_backend(self.generation.improver.backend))
        children = self.children or self.size
        return self.generation(problem, here, children, random_state, run, size=self.size)
