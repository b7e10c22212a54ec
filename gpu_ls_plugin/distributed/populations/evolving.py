"""Rows of an evolution, which makes its generations stretch by stretch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.distributed.populations.base import Place, Population, Seen
from gpu_ls_plugin.evolution.run import add_search
from gpu_ls_plugin.problems.tsp import tour_problem
from gpu_ls_plugin.result import Statistics
from gpu_ls_plugin.searches.chain_population import ChainPopulation

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.generations.in_turn import InTurn, Turn
    from gpu_ls_plugin.runs.stretch import Stretch

LEAST = 1.0  # seconds for a generation, even if its stretch is over before


class EvolvingPopulation(Population):
    """The best tours of an evolution, as many as it has in the end.

    Parameters
    ----------
    place : Place
        The evolution searches in place of its search.
    evolution : InTurn
        Prepared.
    """

    def __init__(self, place: Place, evolution: InTurn) -> None:
        self._place, self._evolution = place, evolution
        self._problem, self._backend = tour_problem(place.problem), get_backend(place.backend)
        self._random = np.random.default_rng([place.seed, place.first_row])
        self._turn: Turn | None = None
        self._target = -math.inf if place.target is None else place.target

    def advance(self, stretch: Stretch, number: int, seen: Seen) -> Statistics:
        """Make generations for a stretch."""
        run = _Run(stretch, statistics := Statistics(backend=self._backend.name))
        given = (self._random, run)
        with self._backend.current():
            if self._turn is None:
                self._turn = self._evolution.start(self._problem, *given)
            while run.watch.left > 0 and not statistics.interrupted:
                self._turn = self._evolution.next(self._problem, self._turn, *given)
                costs = self._turn.costs
                best, mean = costs.min().item(), float(costs.mean())
                if seen(best, mean, statistics.kicks) or best <= self._target:
                    break
        return statistics

    def rows(self) -> tuple[Any, Any]:
        """Return the best tours, all of them again where they are too few."""
        assert self._turn is not None
        with self._backend.current():
            costs, size = self._turn.costs, self._evolution.size
            order = costs.argsort()[self._backend.xp.arange(size) % len(costs)]
            return self._turn.tours[order], costs[order]

    def adopt(self, rows: Any, costs: Any) -> None:
        """Let the worst chains go on from other tours; populations of routes have their own."""
        assert self._turn is not None
        if isinstance(chains := self._turn.population, ChainPopulation):
            with self._backend.current():
                asarray = self._backend.xp.asarray
                chains.adopt(asarray(rows), asarray(costs))


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
