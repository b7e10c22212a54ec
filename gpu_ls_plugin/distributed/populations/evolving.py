"""Rows of an evolution, which makes its generations stretch by stretch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.evolution.run import add_search
from gpu_ls_plugin.problems.tsp import tour_problem
from gpu_ls_plugin.result import Statistics
from gpu_ls_plugin.runs.population import Population
from gpu_ls_plugin.searches.chain_population import ChainPopulation

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.evolution.generations.in_turn import InTurn, Turn
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.runs.stretch import Leg, Stretch

LEAST = 1.0  # seconds for a generation, even if its stretch is over before


class EvolvingPopulation(Population):
    """The best tours of an evolution, as many as it has in the end.

    Parameters
    ----------
    problem : Problem
    evolution : InTurn
        Prepared.
    seed, first_row : int
    backend : str
    target : float, optional
    """

    def __init__(
        self,
        problem: Problem,
        evolution: InTurn,
        *,
        seed: int,
        backend: str,
        first_row: int,
        target: float | None = None,
    ) -> None:
        self.first_row, self._evolution = first_row, evolution
        self._problem, self.backend = tour_problem(problem), get_backend(backend)
        self._random = np.random.default_rng([seed, first_row])
        self._turn: Turn | None = None
        self._target = -math.inf if target is None else target

    def over(self, leg: Leg) -> str | None:
        """Return None: time alone ends a stretch."""

    def launch(self, leg: Leg) -> None:
        """Make a generation or more."""
        self.advance(leg.stretch, lambda: True)

    def advance(self, stretch: Stretch, enough: Callable[[], bool] = lambda: False) -> Statistics:
        """Make generations for a stretch."""
        self.statistics = statistics = Statistics(backend=self.backend.name)
        run = _Run(stretch, statistics)
        given = (self._random, run)
        with self.backend.current():
            if self._turn is None:
                self._turn = self._evolution.start(self._problem, *given)
            while run.watch.left > 0 and not statistics.interrupted:
                self._turn = self._evolution.next(self._problem, self._turn, *given)
                if enough() or self.seen[0] <= self._target:
                    break
        return statistics

    @property
    def tours(self) -> Any:
        """The best tours, all of them again where they are too few."""
        with self.backend.current():
            return self._now.tours[self._order]

    @property
    def costs(self) -> Any:
        """Their costs."""
        with self.backend.current():
            return self._now.costs[self._order]

    @property
    def seen(self) -> tuple[float, float]:
        """Best and mean cost of this turn's tours."""
        costs = self._now.costs
        return costs.min().item(), float(costs.mean())

    @property
    def _now(self) -> Turn:
        assert self._turn is not None
        return self._turn

    @property
    def _order(self) -> Any:
        costs, size = self._now.costs, self._evolution.size
        return costs.argsort()[self.backend.xp.arange(size) % len(costs)]

    def adopt(self, tours: Any, costs: Any) -> None:
        """Let the worst chains go on from other tours; populations of routes have their own."""
        if isinstance(chains := self._now.population, ChainPopulation):
            chains.adopt(tours, costs)


class _Run:
    """A run as its stretch shows it."""

    def __init__(self, stretch: Stretch, statistics: Statistics) -> None:
        self.stretch, self.statistics = stretch, statistics
        self.watch = Stopwatch.of(stretch.seconds)

    def seconds_left(self) -> float:
        """Return the seconds of the stretch, more for a generation that begins at its end."""
        ahead = self.stretch.end - self.stretch.begin
        whole = self.stretch.seconds / ahead if ahead > 0 else math.inf
        return min(whole * (1.0 - self.progress()), max(self.watch.left, LEAST))

    def progress(self) -> float:
        """Return the share of the run that is over."""
        passed = min(1.0, self.watch.elapsed / max(self.stretch.seconds, 1e-9))
        return self.stretch.begin + passed * (self.stretch.end - self.stretch.begin)

    def account(self, statistics: Statistics) -> None:
        """Count a search."""
        add_search(self.statistics, statistics)
