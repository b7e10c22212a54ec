"""Evolutions one after the other, of which the best tour is kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.evolution.generations.evolution import Evolution

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.evolution.generations.evolution import Population
    from gpu_ls_plugin.evolution.run import Run
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Statistics


@dataclass(frozen=True, eq=False)
class Turn:
    """The population of one of several evolutions.

    Attributes
    ----------
    population : Population
    number : int
        Of the evolution.
    begin : float
        Share of the run that was over before it began.
    best : int32 array, shape (n,), or None
        The best tour of the evolutions before, which takes the place of a worse one.
    cost : float
        Of it.
    """

    population: Population
    number: int
    begin: float
    best: Any = None
    cost: float = math.inf

    @property
    def tours(self) -> Any:
        """Array of the backend, shape (P, n), int32."""
        tours, row = self.population.tours, self._replaced
        if row is not None:
            tours = tours.copy()
            tours[row] = np.asarray(self.best, like=tours)
        return tours

    @property
    def costs(self) -> Any:
        """Array of the backend, shape (P,)."""
        costs, row = self.population.costs, self._replaced
        if row is not None:
            costs = costs.copy()
            costs[row] = self.cost
        return costs

    @property
    def _replaced(self) -> int | None:
        """The row in whose place the best tour of those before is; None where all are as good."""
        costs = self.population.costs
        worst = int(costs.argmax())
        return worst if self.cost < costs[worst] else None

    def __len__(self) -> int:
        return len(self.population)


@dataclass(frozen=True)
class Part:
    """A part of a run, as a `Run`.

    Parameters
    ----------
    run : Run
        The whole, whose seconds are limited.
    begin, end : float
        Shares of the run between which the part lies.
    """

    run: Run
    begin: float
    end: float

    def seconds_left(self) -> float:
        """Return the seconds that a search may take, if the run is over when its seconds are."""
        left, done = self.run.seconds_left(), self.run.progress()
        return left * max(0.0, self.end - done) / (1.0 - done) if self.end < 1.0 > done else left

    def progress(self) -> float:
        """Return the share of the part that is over."""
        passed = (self.run.progress() - self.begin) / max(self.end - self.begin, 1e-9)
        return min(1.0, max(0.0, passed))

    def account(self, statistics: Statistics) -> None:
        """Count a search."""
        self.run.account(statistics)


@dataclass(frozen=True)
class InTurn(Evolution[Turn]):
    """Evolutions of which each begins anew where the one before ends.

    Tours that are given begin the last one.

    Parameters
    ----------
    first : tuple of (float, Evolution)
        Each with the share of the run that is over when it ends, in their order.
    last : Evolution
    """

    first: tuple[tuple[float, Evolution[Any]], ...]
    last: Evolution[Any]

    @property
    def size(self) -> int:
        """Tours of the last one's population."""
        return self.last.size

    def prepare(self, problem: TSP) -> None:
        """Compile what a run needs, ahead of it."""
        for _, evolution in self._all:
            evolution.prepare(problem)

    def start(
        self,
        problem: TSP,
        random_state: np.random.Generator,
        run: Run,
        given: Tours | None = None,
    ) -> Turn:
        """Return the first population of the first evolution, or of the last one around tours."""
        number = 0 if given is None else len(self.first)
        return self._begun(number, problem, random_state, run, given)

    def next(
        self, problem: TSP, population: Turn, random_state: np.random.Generator, run: Run
    ) -> Turn:
        """Return the next generation, or the first one of the next evolution."""
        end, evolution = self._all[population.number]
        if evolution is not self.last and run.progress() >= end:
            after = self._begun(population.number + 1, problem, random_state, run)
            costs = population.costs
            best = on_host(population.tours[int(costs.argmin())])
            return replace(after, best=best, cost=costs.min().item())
        part = Part(run, population.begin, end)
        after = evolution.next(problem, population.population, random_state, part)
        return replace(population, population=after)

    @property
    def _all(self) -> tuple[tuple[float, Evolution[Any]], ...]:
        return (*self.first, (1.0, self.last))

    def _begun(
        self,
        number: int,
        problem: TSP,
        random_state: np.random.Generator,
        run: Run,
        given: Tours | None = None,
    ) -> Turn:
        end, evolution = self._all[number]
        begin = run.progress()
        population = evolution.start(problem, random_state, Part(run, begin, end), given)
        return Turn(population, number, begin)
