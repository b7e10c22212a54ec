"""Generations of populations on many workers, for evolutionary frameworks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.runs.elites import Elites, joined

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.distributed.islands import Islands
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun
    from gpu_ls_plugin.runs.settings import Settings

KICKS_PER_CITY = 0.5  # kicks per city in a generation if the run has no time limit


@dataclass(frozen=True, eq=False)
class IslandPopulation:
    """The rows of all islands, on the host, island by island."""

    groups: list[Elites]

    @property
    def tours(self) -> Any:
        """Array (P, n), int32."""
        return np.concatenate([group.rows for group in self.groups])

    @property
    def costs(self) -> Any:
        """Array (P,)."""
        return np.concatenate([group.costs for group in self.groups])

    def __len__(self) -> int:
        return sum(map(len, self.groups))


@dataclass(frozen=True)
class IslandEvolution(Evolution[IslandPopulation]):
    """Generations on a cluster: in each, all islands search for a stretch and exchange rows.

    `count` is the number of islands; `tours` is the number of tours of all islands together.
    """

    islands: Islands
    settings: Settings
    count: int
    tours: int

    @classmethod
    def of(
        cls, problem: Problem, islands: Islands, settings: Settings, size: int | None = None
    ) -> IslandEvolution:
        """Compile, and return an evolution of `size` tours (default: enough to use all devices)."""
        asked = _asked(problem)
        settled = islands.prepare(asked, settings)
        if size is not None:
            settings = replace(settings, population=-(-size // len(settled)))
            settled = islands.prepare(asked, settings)
        tours = sum(each.settings.population or 1 for each in settled.values())
        return cls(islands, settings, len(settled), tours)

    @property
    def size(self) -> int:
        return self.tours

    def prepare(self, problem: Problem) -> None:
        """Do nothing: `of` has prepared the workers."""

    def start(
        self,
        problem: Problem,
        random_state: Generator,
        run: FrameworkRun,
        given: Tours | None = None,
    ) -> IslandPopulation:
        """Return the first generation; islands share the given tours, or make their own."""
        rows: Any = np.empty((0, problem.n), np.int32) if given is None else given
        parts = [rows[island :: self.count] for island in range(self.count)]
        groups = [
            Elites.of(problem, part, problem.cost(part)) if len(part) else None for part in parts
        ]
        return self._after(problem, groups, random_state, run)

    def next(
        self,
        problem: Problem,
        population: IslandPopulation,
        random_state: Generator,
        run: FrameworkRun,
    ) -> IslandPopulation:
        """Return the next generation, or the same population if no time is left."""
        if run.seconds_left() <= 0:
            return population
        return self._after(problem, list(population.groups), random_state, run)

    def _after(
        self,
        problem: Problem,
        groups: list[Elites | None],
        random_state: Generator,
        run: FrameworkRun,
    ) -> IslandPopulation:
        """Search the groups for one stretch, and return the rows of all islands."""
        seconds, exchange = run.seconds_left(), self.islands.exchange
        kicks = exchange.kicks or max(1, round(KICKS_PER_CITY * problem.n))
        budget = Budget(kicks=kicks)
        if math.isfinite(seconds):
            budget = Budget(seconds=max(0.05, min(seconds, exchange.every)))
        stretch = replace(exchange, kicks=None if math.isfinite(seconds) else kicks)
        seed = int(random_state.integers(2**63))
        found, statistics = replace(self.islands, exchange=stretch).go_on(
            _asked(problem), self.settings, groups, seed=seed, budget=budget, share=run.progress()
        )
        run.account(statistics)
        if statistics.interrupted:  # rows may be missing, so also keep the former rows
            both = zip(found, groups, strict=False)
            found = [now if old is None else joined(problem, [now, old]) for now, old in both]
        return IslandPopulation(found)


def _asked(problem: Problem) -> Problem:
    """Return the problem that islands search: routes rather than giant tours, as in `solve`."""
    return domain_of(problem).asked(problem)
