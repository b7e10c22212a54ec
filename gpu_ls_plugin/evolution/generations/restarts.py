"""Restarts of a converged population from its best tour."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.evolution.convergence import Convergence, Stagnation
from gpu_ls_plugin.evolution.generations.evolution import Evolution, Kind

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


@dataclass(frozen=True, eq=False)
class Watched(Generic[Kind]):
    """A population, and the number of generations since its best tour improved.

    Attributes
    ----------
    population : Bred
    lowest : float
        Cost of the best tour.
    unimproved : int
        Generations since `lowest` fell, or since the last restart.
    restarts : int
        Number of restarts so far.
    """

    population: Kind
    lowest: float
    unimproved: int = 0
    restarts: int = 0

    @property
    def tours(self) -> Any:
        """Array of the backend, shape (P, n), int32."""
        return self.population.tours

    @property
    def costs(self) -> Any:
        """Array of the backend, shape (P,)."""
        return self.population.costs

    def __len__(self) -> int:
        return len(self.population)


@dataclass(frozen=True)
class Restarts(Evolution[Watched[Kind]]):
    """Wraps an evolution, and restarts it from the best tour once the population has converged.

    Parameters
    ----------
    evolution : Evolution
        Makes initial populations and generations, for example a `GenerationEvolution`.
    converged : Convergence
        Called after each generation.

    References
    ----------
    Krishnakumar (1989), Micro-Genetic Algorithms for Stationary and Non-Stationary Function
    Optimization, Intelligent Control and Adaptive Systems, SPIE 1196, 289-296.
    """

    evolution: Evolution[Kind]
    converged: Convergence = field(default_factory=Stagnation)

    @property
    def size(self) -> int:
        return self.evolution.size

    def text(self, problem: Problem) -> str:
        return f"{self.evolution.text(problem)}; restarts: {self.converged}"

    def prepare(self, problem: Problem) -> None:
        self.evolution.prepare(problem)

    def start(
        self,
        problem: Problem,
        random_state: Generator,
        run: FrameworkRun,
        given: Tours | None = None,
    ) -> Watched[Kind]:
        population = self.evolution.start(problem, random_state, run, given)
        return Watched(population, _lowest(population))

    def next(
        self,
        problem: Problem,
        population: Watched[Kind],
        random_state: Generator,
        run: FrameworkRun,
    ) -> Watched[Kind]:
        """Return the next generation or, if that has converged, a restart from its best tour."""
        after = self.evolution.next(problem, population.population, random_state, run)
        restarts, lowest = population.restarts, _lowest(after)
        unimproved = 0 if lowest < population.lowest else population.unimproved + 1
        if run.seconds_left() > 0 and self.converged(problem, after, unimproved):
            best = int(after.costs.argmin())
            given = on_host(after.tours[best : best + 1])
            after = self.evolution.start(problem, random_state, run, given)
            restarts, lowest, unimproved = restarts + 1, _lowest(after), 0
        return Watched(after, lowest, unimproved, restarts)


def _lowest(population: Any) -> float:
    return float(population.costs.min())
