"""The population of a stage and its first generation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.runs.domain import first_rows
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.searches.chain_population import ChainPopulation

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
    if hasattr(stage.search, "kick"):
        return _descended(plan, stage, rows, seed, seconds)
    population = stage.search.population(stage.problem, rows, **place)
    return population, population.advance(Stretch(seconds, generations=1, end=0.0))


def _descended(
    plan: Plan, stage: Stage, rows: Any, seed: int, seconds: float
) -> tuple[Population, Statistics]:
    """Return chains on the local optima that rows lead to."""
    search, backend = stage.search, get_backend(plan.backend)
    budget = Budget(seconds=seconds) if math.isfinite(seconds) else None
    place: dict[str, Any] = {"seed": seed, "backend": plan.backend}
    tours = backend.xp.asarray(rows)
    found = search.search(tour_problem(stage.problem), tours, budget=budget, **place)
    asked = None if stage.searched is stage.problem else tour_problem(plan.problem)
    searched = tour_problem(stage.searched)
    chains = ChainPopulation(search, searched, found.tours, found.costs, **place, asked=asked)
    return chains, found.statistics
