"""The populations of a plan's stages, one after the other, of which the best rows are kept."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.generations.stage_rows import begun
from gpu_ls_plugin.evolution.run import add_search
from gpu_ls_plugin.runs.plan import Course, Found
from gpu_ls_plugin.runs.population import Population
from gpu_ls_plugin.runs.stretch import Stretch

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.plan import Plan
    from gpu_ls_plugin.runs.stretch import Leg


class StagedPopulation(Population):
    """The rows of the stage that a run has come to, and the best of the stages before.

    A launch is a generation. Copies and pickles lie on the host and go on.

    Parameters
    ----------
    plan : Plan
    random : numpy.random.Generator
        Each stage draws its seed from it.
    least : float
        Seconds that a generation may have, even if its stretch is over before.
    full : bool
        Whether there are always as many rows as in the last stage: the best again if need be.
    """

    def __init__(
        self, plan: Plan, random: np.random.Generator, *, least: float = 0.0, full: bool = False
    ) -> None:
        self.plan, self.random, self._least, self._full = plan, random, least, full
        self._course = plan.course()
        self._begin, self._end = 0.0, 1.0  # of the stage, as shares of the run
        self._kept: dict[str, Found] = {}  # by the names of earlier stages
        self.population: Any = None
        self.statistics = Statistics()

    @property
    def backend(self) -> Backend:  # type: ignore[override]  # a pickle may go to another machine
        """Where the rows are searched."""
        return get_backend(self.plan.backend)

    @property
    def tours(self) -> Any:
        """Array of the backend, shape (P, n), int32."""
        return self._rows()[0]

    @property
    def costs(self) -> Any:
        """Array of the backend, shape (P,)."""
        return self._rows()[1]

    def __len__(self) -> int:
        return len(self.population)

    def _rows(self) -> tuple[Any, Any]:
        """Return the rows of this stage, and better ones of those before in the place of others."""
        tours, costs = self.population.tours, self.population.costs
        for found in reversed(self._kept.values()):
            worst, cost = int(costs.argmax()), found.worth[1]
            if cost < costs[worst]:
                tours, costs = tours.copy(), costs.copy()
                tours[worst], costs[worst] = np.asarray(found.row, like=tours), cost
        if self._full:
            with self.backend.current():
                size = self.plan.main.size
                order = costs.argsort()[self.backend.xp.arange(size) % len(costs)]
                tours, costs = tours[order], costs[order]
        return tours, costs

    def over(self, leg: Leg) -> str | None:
        """Return "kicks" if the stretch has had its generations, or "target"; None otherwise."""
        if leg.bred(self.generations):
            return "kicks"
        target = self.plan.target
        return "target" if self._reached(target) else None

    def _reached(self, target: float | None) -> bool:
        if target is None or self.population is None:
            return False
        return bool(self.seen[0] <= target)

    def begin(self, done: float, seconds: float, given: Tours | None = None) -> None:
        """Make the first generation of the first stage, or of the last one around given rows.

        Parameters
        ----------
        done : float
            Share of the run that is over.
        seconds : float
            That are left of the run.
        given : int32 array, shape (K, n), optional
            Are in the population, or better ones in their place.
        """
        if given is not None:
            self._course = Course((self.plan.main,))
        self._enter(done, seconds, given)

    def launch(self, leg: Leg) -> None:
        """Make a generation of the stage, or the first one of the next stage."""
        done, left = self._now(leg)
        if self.population is None:
            self._enter(done, left)
        elif self._end < 1.0 and done >= self._end:
            self._leave(left)
            self._enter(done, left)
        else:
            share = min(1.0, max(0.0, (done - self._begin) / max(self._end - self._begin, 1e-9)))
            seconds = self._left(done, left)
            stretch = Stretch(seconds, generations=1, begin=share, end=share)
            self._add(self.population.advance(stretch))
        self.generations += 1

    def _now(self, leg: Leg) -> tuple[float, float]:
        """Return the share of the run that is over, and the seconds that a generation may take."""
        stretch, done = leg.stretch, leg.share(0, leg.watch.elapsed)
        ahead = stretch.end - stretch.begin
        rest = stretch.seconds / ahead * (1.0 - done) if ahead > 0 else math.inf
        return done, min(rest, max(leg.left, self._least))

    def _left(self, done: float, left: float) -> float:
        """Return the seconds of the stage that are left, of those of the run."""
        if self._end < 1.0 > done:
            return left * max(0.0, self._end - done) / (1.0 - done)
        return left

    def _leave(self, left: float) -> None:
        """Keep the best row of the stage, and take the next one."""
        stage, costs = self._course.stage, self.population.costs
        row = on_host(self.population.tours[int(costs.argmin())])
        found = Found(row, (0.0, costs.min().item()))
        before = self._kept.get(stage.name)
        if before is None or found.worth < before.worth:
            self._kept[stage.name] = found
        self._course.go_on(found, left)

    def _enter(self, done: float, left: float, given: Tours | None = None) -> None:
        """Begin a stage."""
        stage = self._course.stage
        self._begin = done if len(self.plan.stages) > 1 else 0.0
        self._end = min(1.0, done + stage.seconds / max(self.plan.seconds, 1e-9))
        seed, seconds = int(self.random.integers(2**63)), self._left(done, left)
        self.population, counted = begun(self.plan, stage, seed, seconds, given)
        self._add(counted)

    def adopt(self, tours: Any, costs: Any) -> None:
        """Let the worst chains go on from other tours; populations of routes have their own."""
        self.population.adopt(tours, costs)

    def _add(self, counted: Statistics) -> None:
        """Add what a generation has counted; Ctrl-C in it ends the stretch."""
        add_search(self.statistics, counted)
        if counted.interrupted:
            raise KeyboardInterrupt
