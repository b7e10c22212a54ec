"""Generations of the stages of a plan, as in `solve`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.evolution.generations.staged_population import StagedPopulation
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.runs.stretch import Stretch

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun
    from gpu_ls_plugin.runs.plan import Plan


@dataclass(frozen=True)
class PlannedEvolution(Evolution[StagedPopulation]):
    """Generations of the stages of a plan.

    Parameters
    ----------
    plan : Plan
        As `plan_of_generations` returns it.
    """

    plan: Plan

    @property
    def size(self) -> int:
        """Rows of the last stage."""
        return self.plan.main.size

    def prepare(self, problem: Any) -> None:
        """Compile ahead of a run."""
        main = self.plan.main
        if (cooperation := getattr(main.search, "cooperation", None)) is not None:
            cooperation.check(_seen(main.searched))
        self.plan.prepare()
        if main.searched is not main.problem:  # the first descent is under `main.problem`
            main.search.search.prepare(_seen(main.problem), self.size, backend=self.plan.backend)

    def start(
        self, problem: Any, random_state: Generator, run: FrameworkRun, given: Tours | None = None
    ) -> StagedPopulation:
        """Return the first generation of the first stage, or of the last one around given rows."""
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
        """Make the next generation of the population (in place)."""
        seconds, done = run.seconds_left(), run.progress()
        if seconds > 0:
            population.random = random_state
            stretch = Stretch(seconds, generations=1, begin=done, end=done)
            run.account(population.advance(stretch))
        return population


def _seen(problem: Any) -> Any:
    """Return a problem in the form that parts of searches take."""
    return domain_of(problem).for_operators(problem)
