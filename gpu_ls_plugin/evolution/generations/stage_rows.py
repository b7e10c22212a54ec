"""The population of a stage and its first generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.runs.domain import first_rows
from gpu_ls_plugin.runs.stretch import Stretch

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Statistics
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.plan import Plan, Stage
    from gpu_ls_plugin.runs.population import Population


def begun(
    plan: Plan, stage: Stage, seed: int, seconds: float, given: Tours | None = None
) -> tuple[Population, Statistics]:
    """Return the population of a stage after its first generation, and what that has counted.

    Parameters
    ----------
    plan : Plan
    stage : Stage
    seed : int
    seconds : float
        That the generation may take.
    given : int32 array, shape (K, n), optional
        Rows that are among the first.
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
