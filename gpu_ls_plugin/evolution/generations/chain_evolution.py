"""Generations of the population that `gpu-ls solve` searches."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.budget import Budget
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.plugins.registry import registry
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.searches import IteratedLocalSearch
from gpu_ls_plugin.searches.chain_population import ChainPopulation
from gpu_ls_plugin.solver import Settings, default_settings
from gpu_ls_plugin.solver.single import rehearse

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.evolution.run import FrameworkRun
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.recombination.base import Recombination

SECONDS = 10.0  # that a run without a time limit is taken to have


def settings_like_solve(
    problem: Problem,
    population: int | None,
    search: Callable[..., Any] | None,
    crossover: Recombination | None,
    seconds: float,
    backend: str,
) -> Settings:
    """Return what `solve` would do, with a crossover if one is given; as `ChainEvolution`."""
    timed = math.isfinite(seconds)
    given = Settings(
        seconds=seconds if timed else SECONDS,
        population=population,
        search=search,
        backend=backend,
    )
    chosen = default_settings(problem, given, alike=not timed, chains=True)
    if crossover is None:
        return chosen
    assert isinstance(chosen.search, IteratedLocalSearch)
    return replace(chosen, search=replace(chosen.search, cooperation=crossover))


@dataclass(frozen=True)
class ChainEvolution(Evolution[ChainPopulation]):
    """Chains of kicks whose best tours are the population, and whose exchanges end generations.

    Parameters
    ----------
    settings : Settings
        Complete, with an `IteratedLocalSearch`.
    """

    settings: Settings

    @classmethod
    def like_solve(
        cls,
        problem: TSP,
        *,
        population: int | None = None,
        search: Callable[..., Any] | None = None,
        crossover: Recombination | None = None,
        seconds: float = math.inf,
        backend: str = "auto",
    ) -> ChainEvolution:
        """Return the evolution that `solve` would run; what is given is taken.

        Parameters
        ----------
        problem : TSP
        population : int, optional
        search : LocalSearch, optional
            Repairs kicked tours.
        crossover : Recombination, optional
            Whose children are taken where they are better than their first parents.
        seconds : float
            That the run has.
        backend : str
        """
        return cls(settings_like_solve(problem, population, search, crossover, seconds, backend))

    @property
    def search(self) -> IteratedLocalSearch:
        """What the chains do."""
        search = self.settings.search
        assert isinstance(search, IteratedLocalSearch)
        return search

    @property
    def size(self) -> int:
        """Number of chains."""
        return int(self.settings.population or 1)

    def prepare(self, problem: TSP) -> None:
        """Compile what a run needs, ahead of it."""
        if (cooperation := self.search.cooperation) is not None:
            cooperation.check(problem)
        rehearse(problem, self.settings)

    def start(
        self,
        problem: TSP,
        random_state: np.random.Generator,
        run: FrameworkRun,
        given: Tours | None = None,
    ) -> ChainPopulation:
        """Return local optima, `given` ones and others of a construction."""
        seed, seconds = int(random_state.integers(2**63)), run.seconds_left()
        place: dict[str, Any] = {"seed": seed, "backend": self.settings.backend}
        kept = [] if given is None else [given[: self.size]]
        missing = self.size - sum(map(len, kept))
        if missing:
            construct = registry.lookup("construction", str(self.settings.start))
            kept.append(construct(problem, size=missing, **place))
        tours: Any = np.concatenate(kept) if len(kept) > 1 else kept[0]
        tours = get_backend(self.settings.backend).xp.asarray(tours)
        budget = Budget(seconds=seconds) if math.isfinite(seconds) else None
        found = self.search.search(problem, tours, budget=budget, **place)
        run.account(found.statistics)
        return ChainPopulation(self.search, problem, found.tours, found.costs, **place)

    def next(
        self,
        problem: TSP,
        population: ChainPopulation,
        random_state: np.random.Generator,
        run: FrameworkRun,
    ) -> ChainPopulation:
        """Let the chains go on to their next exchange (in place)."""
        seconds = run.seconds_left()
        if seconds > 0:
            done = run.progress()
            stretch = Stretch(seconds, generations=1, begin=done, end=done)
            run.account(population.advance(stretch))
        return population
