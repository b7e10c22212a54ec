"""Generations of many populations of routes, as `HybridGeneticSearch` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.construction import savings
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.problems.cvrp import routing_problem
from gpu_ls_plugin.result import Statistics
from gpu_ls_plugin.searches.genetic.breeding import Breeding

if TYPE_CHECKING:
    import numpy as np

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.evolution.run import FrameworkRun
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.searches import HybridGeneticSearch
    from gpu_ls_plugin.searches.call import Call


class GeneticPopulation:
    """The best routes that each population of a search has had, generation by generation.

    Copies and pickles lie on the host; their populations begin with these routes.

    Parameters
    ----------
    search : HybridGeneticSearch
    problem : TSP
        Giant tours.
    tours : int32 array, shape (P, n)
        One for each population.
    seed : int
    backend : str
    """

    def __init__(
        self, search: HybridGeneticSearch, problem: TSP, tours: Any, seed: int, backend: str
    ) -> None:
        self.search, self.seed, self.backend = search, seed, backend
        self._tours, self._costs = tours, problem.cost(tours)
        self._breeding: Breeding | None = None

    @property
    def tours(self) -> Any:
        """The best routes of each population: array of the backend, shape (P, n), int32."""
        return self._tours if self._breeding is None else self._breeding.call.tours

    @property
    def costs(self) -> Any:
        """Their costs: array of the backend, shape (P,)."""
        return self._costs if self._breeding is None else self._breeding.best_costs

    def __len__(self) -> int:
        return len(self._costs)

    def __getstate__(self) -> dict[str, Any]:
        now = {"_tours": on_host(self.tours), "_costs": on_host(self.costs), "_breeding": None}
        return vars(self) | now

    def advance(self, problem: TSP, seconds: float) -> Statistics:
        """Make one generation, or the first individuals (in place); return what was counted.

        Parameters
        ----------
        problem : TSP
            The same one each time.
        seconds : float
            That it may take. Ctrl-C ends it like time, and is noted.
        """
        watch, statistics = Stopwatch.of(seconds), Statistics(backend=self.backend)
        with get_backend(self.backend).current():
            try:
                breeding = self._breeding
                call = self._called(problem) if breeding is None else breeding.call
                call.stopwatch, call.statistics = watch, statistics
                if breeding is None:
                    self._breeding = Breeding(self.search, call)
                else:
                    breeding.next()
            except KeyboardInterrupt:
                statistics.stopped_by = "interrupt"
        statistics.seconds = watch.elapsed
        return statistics

    def _called(self, problem: TSP) -> Call:
        routes = routing_problem(problem)
        return self.search.called(routes, self._tours, seed=self.seed, backend=self.backend)


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
        population = GeneticPopulation(self.search, problem, tours, seed, backend)
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
            run.account(population.advance(problem, seconds))
        return population
