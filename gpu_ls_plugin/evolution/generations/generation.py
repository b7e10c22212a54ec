"""One generation of a memetic algorithm on a population of arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpu_ls_plugin.evolution.replacement.best_distinct import BestDistinct
from gpu_ls_plugin.evolution.tour_population import TourPopulation

if TYPE_CHECKING:
    import numpy as np

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.crossing import Recombining
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.replacement.base import Replacement
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


@dataclass(frozen=True)
class Generation:
    """Parents at random, a child of each pair, a search of all children, and replacement.

    Crossing, search and replacement are a constant number of calls each, whatever the size of the
    population.

    Parameters
    ----------
    crossover : Recombining
    improver : Improver
        Its backend crosses and searches.
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
        random_state: np.random.Generator,
        run: FrameworkRun | None = None,
        *,
        size: int | None = None,
    ) -> TourPopulation:
        """Return the next population, the cheapest first.

        Parameters
        ----------
        problem : Problem
        population : TourPopulation
            At least one tour; not changed.
        children : int
            At least 1.
        random_state : numpy.random.Generator
        run : FrameworkRun, optional
            As in `Improver`.
        size : int, optional
            Of the next population; as many tours as there are if None.

        Returns
        -------
        TourPopulation
            Of fewer tours where so few differ. Where no time is left, the
            same one.
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
