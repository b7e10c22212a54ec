"""Generations of a memetic algorithm: crossover, search and replacement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.evolution.batches.starts import Starts
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.evolution.replacement import BestDistinct
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.crossing import Recombining
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.evolution.replacement import Replacement
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


@dataclass(frozen=True)
class Generation:
    """Draws parents, makes a child from each pair, searches the children, and applies replacement.

    All pairs are crossed in one call, and all children are searched in one call.

    Parameters
    ----------
    improver : Improver
        Searches the children; its backend also runs the crossover.
    replacement : Replacement
        Chooses the next population from parents and children.
    """

    crossover: Recombining
    improver: Improver
    replacement: Replacement = field(default_factory=BestDistinct)

    def __call__(
        self,
        problem: Problem,
        population: TourPopulation,
        children: int,
        random_state: Generator,
        run: FrameworkRun | None = None,
        *,
        size: int | None = None,
    ) -> TourPopulation:
        """Return the next population, the cheapest tour first; `population` is not changed.

        `size` is the size of the next population, by default that of `population`. The next
        population has fewer tours if there are too few distinct ones. If no time is left,
        `population` itself is returned.
        """
        xp = population.xp
        first, second = population.parents(children, random_state)
        crossed = self.crossover.cross(
            self.crossover.instance(problem),
            population.tours[first],
            population.tours[second],
            seed=int(random_state.integers(2**63)),
            backend=self.improver.backend,
        )
        found = self.improver.search_rows(problem, crossed, random_state, run)
        if found is None:
            return population
        costs = xp.asarray(found.costs)
        made = TourPopulation.of(problem, xp, xp.asarray(found.tours), costs)
        parents = (first, second)
        return self.replacement(problem, population, made, parents, size or len(population))


@dataclass(frozen=True)
class GenerationEvolution(Evolution[TourPopulation]):
    """An evolution whose initial population is constructed and improved.

    Parameters
    ----------
    tours : int
        Size of the population.
    construction : str or callable, optional
        As in `Starts`.
    children : int, optional
        Children per generation; None: as many as `tours`.
    """

    generation: Generation
    tours: int
    construction: Any = None
    children: int | None = None

    @property
    def size(self) -> int:
        return self.tours

    @property
    def _starts(self) -> Starts:
        return Starts(self.construction, self.generation.improver)

    def text(self, problem: Problem) -> str:
        parts = self.generation
        return (
            f"{self.size} rows, {self.children or self.size} children; crossover: "
            f"{parts.crossover}; search: {parts.improver.text(problem)}; replacement: "
            f"{parts.replacement}"
        )

    def prepare(self, problem: Problem) -> None:
        crossover, improver = self.generation.crossover, self.generation.improver
        self._starts.prepare(problem, max(self.size, self.children or 0))
        pairs = self.children or self.size  # the launch layout of a crossover depends on this
        tours = domain_of(problem).some_rows(problem, pairs)
        instance = crossover.instance(problem)
        crossover.cross(instance, tours, tours, seed=0, backend=improver.backend)

    def start(
        self, problem: Any, random_state: Generator, run: FrameworkRun, given: Tours | None = None
    ) -> TourPopulation:
        """Return the given tours, plus constructed and improved ones up to the full size."""
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
        random_state: Generator,
        run: FrameworkRun,
    ) -> TourPopulation:
        """Return the tours that the replacement chooses from the population and its children."""
        here = population.on(get_backend(self.generation.improver.backend))
        children = self.children or self.size
        return self.generation(problem, here, children, random_state, run, size=self.size)
