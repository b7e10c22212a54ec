"""Evolutions one after the other, of which the best tour is kept."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.evolution.generations.evolution import Evolution

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.evolution.generations.evolution import Population
    from gpu_ls_plugin.evolution.run import FrameworkRun
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Statistics

    Stage = tuple[float, Evolution[Any]]  # when it ends, as a share of the run


@dataclass(frozen=True, eq=False)
class Turn:
    """The population of one of several evolutions.

    Attributes
    ----------
    population : Population
    evolution : Evolution
        Whose turn it is.
    begin, end : float
        Shares of the run between which that is.
    number : int
        Of evolutions before.
    best : int32 array, shape (n,), or None
        The best tour of the evolutions before, which takes the place of a worse one.
    cost : float
        Of it.
    finder : Evolution or None
        The one that found it.
    """

    population: Population
    evolution: Evolution[Any]
    begin: float
    end: float
    number: int = 0
    best: Any = None
    cost: float = math.inf
    finder: Evolution[Any] | None = None

    def ended(self) -> Turn:
        """Return it with the best tour of all evolutions, its own one included."""
        costs = self.population.costs
        if not (cost := costs.min().item()) < self.cost:
            return self
        best = on_host(self.population.tours[int(costs.argmin())])
        return replace(self, best=best, cost=cost, finder=self.evolution)

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
    """A part of a run, as a `FrameworkRun`.

    Parameters
    ----------
    run : FrameworkRun
        The whole, whose seconds are limited.
    begin, end : float
        Shares of the run between which the part lies.
    """

    run: FrameworkRun
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


class Turns(Evolution[Turn]):
    """Evolutions of which each begins anew where the one before ends.

    Tours that are given begin the last one.

    Attributes
    ----------
    last : Evolution
        The one that ends with the run.
    """

    last: Evolution[Any]

    @property
    def size(self) -> int:
        """Tours of the last one's population."""
        return self.last.size

    def start(
        self,
        problem: TSP,
        random_state: np.random.Generator,
        run: FrameworkRun,
        given: Tours | None = None,
    ) -> Turn:
        """Return the first population of the first evolution, or of the last one around tours."""
        stage = (1.0, self.last) if given is not None else self._following(None, problem, run)
        return self._begun(stage, problem, random_state, run, given)

    def next(
        self, problem: TSP, population: Turn, random_state: np.random.Generator, run: FrameworkRun
    ) -> Turn:
        """Return the next generation, or the first one of the next evolution."""
        turn = population
        if turn.end < 1.0 and run.progress() >= turn.end:
            turn = turn.ended()
            begun = self._begun(self._following(turn, problem, run), problem, random_state, run)
            kept = {"best": turn.best, "cost": turn.cost, "finder": turn.finder}
            return replace(begun, number=turn.number + 1, **kept)
        part = Part(run, turn.begin, turn.end)
        after = turn.evolution.next(problem, turn.population, random_state, part)
        return replace(turn, population=after)

    @abstractmethod
    def _following(self, turn: Turn | None, problem: TSP, run: FrameworkRun) -> Stage:
        """Return what follows a turn that is over, or what is first."""

    def _begun(
        self,
        stage: Stage,
        problem: TSP,
        random_state: np.random.Generator,
        run: FrameworkRun,
        given: Tours | None = None,
    ) -> Turn:
        (end, evolution), begin = stage, run.progress()
        population = evolution.start(problem, random_state, Part(run, begin, end), given)
        return Turn(population, evolution, begin, end)


@dataclass(frozen=True)
class InTurn(Turns):
    """Two evolutions, one after the other.

    Parameters
    ----------
    first : tuple of float and Evolution
        The share of the run that is over when it ends, and the one that begins.
    last : Evolution
    """

    first: Stage
    last: Evolution[Any]

    def prepare(self, problem: TSP) -> None:
        """Compile what a run needs, ahead of it."""
        for evolution in (self.first[1], self.last):
            evolution.prepare(problem)

    def _following(self, turn: Turn | None, problem: TSP, run: FrameworkRun) -> Stage:
        return self.first if turn is None else (1.0, self.last)
