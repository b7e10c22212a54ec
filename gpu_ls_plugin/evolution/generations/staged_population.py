"""The population of a plan: rows of the current stage, and the best row of each earlier stage."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import builds, get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.evolution.timed_run import add_search
from gpu_ls_plugin.runs.compiling import Ahead
from gpu_ls_plugin.runs.domain import domain_of, first_rows
from gpu_ls_plugin.runs.plan import Course, Found
from gpu_ls_plugin.runs.population import Population
from gpu_ls_plugin.runs.stretch import Stretch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun
    from gpu_ls_plugin.runs.plan import Plan, Stage
    from gpu_ls_plugin.runs.stretch import Leg


class StagedPopulation(Population):
    """The rows of the current stage of a plan, and the best row of each earlier stage.

    A launch is a generation. Copies and pickles are on the host; a run can continue from them.

    Parameters
    ----------
    random : numpy.random.Generator
        Each stage draws a seed from it.
    least : float
        Seconds that a generation may take even if its stretch has less time left.
    full : bool
        Whether `tours` always has as many rows as the last stage; copies of the best rows make
        up for missing ones.
    """

    def __init__(
        self, plan: Plan, random: Generator, *, least: float = 0.0, full: bool = False
    ) -> None:
        self.plan, self.random, self._least, self._full = plan, random, least, full
        self._course = plan.course()
        self._begin, self._end = 0.0, 1.0  # of the current stage, as shares of the run's time
        self._kept: dict[str, Found] = {}  # best row of each earlier stage, by the stage's name
        self._ahead: Ahead | None = None
        self.population: Any = None
        self.statistics = Statistics()

    @property
    def backend(self) -> Backend:  # type: ignore[override]  # a pickle may go to another machine
        """The backend that searches the rows."""
        return get_backend(self.plan.backend)

    @property
    def tours(self) -> Any:
        return self._rows()[0]

    @property
    def costs(self) -> Any:
        return self._rows()[1]

    @property
    def stage(self) -> Stage:
        """The current stage of the plan."""
        return self._course.stage

    def __len__(self) -> int:
        return len(self.population)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_ahead": None}  # another process compiles for itself

    def _rows(self) -> tuple[Any, Any]:
        """Return the rows of this stage; better rows of earlier stages replace the worst ones."""
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
        """Return why the stretch is over, or None if it is not.

        The reason is "kicks" if the stretch has made its generations, or "target" if the target is
        reached.
        """
        if leg.bred(self.generations):
            return "kicks"
        target = self.plan.target
        return "target" if self._reached(target) else None

    def _reached(self, target: float | None) -> bool:
        if target is None or self.population is None:
            return False
        return bool(self.seen[0] <= target)

    def begin(self, done: float, seconds: float, given: Tours | None = None) -> None:
        """Make the first generation of the first stage, or of the last stage if rows are given.

        `done` is the share of the run that has passed; `seconds` is the time left in the run.
        `given` are initial rows (K, n), int32, of the population; better rows may replace them.
        """
        if given is not None:
            self._course = Course((self.plan.main,))
        self._enter(done, seconds, given)

    def launch(self, leg: Leg) -> None:
        """Make a generation of the current stage, or the first one of the next stage."""
        done, left = self.allowance(leg)
        if self.population is None or (self._end < 1.0 and done >= self._end and self._go_on(left)):
            self._enter(done, left)
        else:
            share = min(1.0, max(0.0, (done - self._begin) / max(self._end - self._begin, 1e-9)))
            seconds = self._left(done, left)
            stretch = Stretch(seconds, generations=1, begin=share, end=share)
            self._add(self.population.advance(stretch))
        self.generations += 1

    def allowance(self, leg: Leg) -> tuple[float, float]:
        """Return the share of the run that has passed, and the time limit of a generation (s)."""
        stretch, done = leg.stretch, leg.share(0, leg.watch.elapsed)
        ahead = stretch.end - stretch.begin
        rest = stretch.seconds / ahead * (1.0 - done) if ahead > 0 else math.inf
        return done, min(rest, max(leg.left, self._least))

    def _left(self, done: float, left: float) -> float:
        """Return how many seconds the stage has left; `left` is how many the run has left."""
        if self._end < 1.0 > done:
            return left * max(0.0, self._end - done) / (1.0 - done)
        return left

    def _go_on(self, left: float) -> bool:
        """Go to the next stage, unless it is still being compiled; return whether it has begun."""
        self._ahead = self._ahead or Ahead(self.plan)  # a pickle has none
        following = self._course.rest[0]
        if left == math.inf or not builds.at_work():
            self._ahead.wait(following)
        if not self._ahead.ready(following):
            return False
        self._leave(left)
        return True

    def _leave(self, left: float) -> None:
        """Keep the best row of the stage, and go to the next stage."""
        stage, costs = self.stage, self.population.costs
        row = on_host(self.population.tours[int(costs.argmin())])
        found = Found(row, (0.0, costs.min().item()))
        before = self._kept.get(stage.name)
        if before is None or found.worth < before.worth:
            self._kept[stage.name] = found
        self._course.go_on(found, left)

    def _enter(self, done: float, left: float, given: Tours | None = None) -> None:
        """Begin the current stage with its first generation."""
        stage = self.stage
        self._ahead = self._ahead or Ahead(self.plan)
        self._begin = done if len(self.plan.stages) > 1 else 0.0
        self._end = min(1.0, done + stage.seconds / max(self.plan.seconds, 1e-9))
        seed, seconds = int(self.random.integers(2**63)), self._left(done, left)
        self.population, counted = _begun(self.plan, stage, seed, seconds, given)
        self._add(counted)

    def adopt(self, tours: Any, costs: Any) -> None:
        """Offer tours to the population of the current stage; they may replace its worst tours."""
        self.population.adopt(tours, costs)

    def _add(self, counted: Statistics) -> None:
        """Add the counts of a generation; if Ctrl-C ended it, end the stretch."""
        add_search(self.statistics, counted)
        if counted.interrupted:
            raise KeyboardInterrupt


def _begun(
    plan: Plan, stage: Stage, seed: int, seconds: float, given: Tours | None = None
) -> tuple[Population, Statistics]:
    """Return the population of a stage after its first generation, and the counts of its search.

    `given` are initial rows (K, n) of the population; `seconds` is the generation's time limit.
    """
    place: dict[str, Any] = {"seed": seed, "backend": plan.backend}
    rows = first_rows(stage.problem, stage.size, stage.start, rows=given, **place)
    if hasattr(stage.search, "first_generation"):
        asked = None if stage.searched is stage.problem else plan.problem
        made: tuple[Population, Statistics] = stage.search.first_generation(
            stage.problem, rows, stage.searched, asked, seconds=seconds, **place
        )
        return made
    population = stage.search.population(stage.problem, rows, **place)
    return population, population.advance(Stretch(seconds, generations=1, end=0.0))


@dataclass(frozen=True)
class PlannedEvolution(Evolution[StagedPopulation]):
    """Makes the generations of a plan, stage by stage.

    Parameters
    ----------
    plan : Plan
        As `plan_of_generations` returns it.
    """

    plan: Plan

    def __post_init__(self) -> None:
        main = self.plan.main
        if main.searched is not main.problem:
            *earlier, main = self.plan.stages
            main = replace(main, prepare=_AndFirstDescent(main.prepare, self.plan.backend))
            object.__setattr__(self, "plan", replace(self.plan, stages=(*earlier, main)))

    @property
    def size(self) -> int:
        return self.plan.main.size

    def text(self, problem: Any) -> str:
        stages = (
            f"{stage.name}, {stage.size} rows from {stage.start}: {stage.how}"
            for stage in self.plan.stages
        )
        return f"{'; then '.join(stages)}; on {self.plan.backend}"

    def prepare(self, problem: Any) -> None:
        """Compile the first stage ahead of a run, which compiles the others meanwhile."""
        self._check()
        self.plan.prepare(first=True)

    def prepare_all(self) -> None:
        """Compile all stages ahead of a run."""
        self._check()
        self.plan.prepare()

    def _check(self) -> None:
        main = self.plan.main
        if (cooperation := getattr(main.search, "cooperation", None)) is not None:
            cooperation.check(_seen(main.searched))

    def start(
        self, problem: Any, random_state: Generator, run: FrameworkRun, given: Tours | None = None
    ) -> StagedPopulation:
        """Return the first generation of the first stage, or of the last if rows are given."""
        population = StagedPopulation(self.plan, random_state)
        try:
            population.begin(run.progress(), run.seconds_left(), given)
        except KeyboardInterrupt:
            if population.population is None:
                raise
            population.statistics.stopped_by = "interrupt"
        run.account(population.statistics)
        return population

    def next(
        self, problem: Any, population: StagedPopulation, random_state: Generator, run: FrameworkRun
    ) -> StagedPopulation:
        seconds, done = run.seconds_left(), run.progress()
        if seconds > 0:
            population.random = random_state
            stretch = Stretch(seconds, generations=1, begin=done, end=done)
            run.account(population.advance(stretch))
        return population


@dataclass(frozen=True)
class _AndFirstDescent:
    """Compiles a stage whose first descent searches the problem that judges results."""

    prepare: Callable[[Stage], object] | None
    backend: str

    def __call__(self, stage: Stage) -> None:
        if self.prepare is not None:
            self.prepare(stage)
        stage.search.search.prepare(_seen(stage.problem), stage.size, backend=self.backend)


def _seen(problem: Any) -> Any:
    """Return a problem in the form that parts of searches take."""
    return domain_of(problem).for_operators(problem)
