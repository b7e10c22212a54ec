"""Which evolution a memetic algorithm gets."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.generations.generation import Generation
from gpu_ls_plugin.evolution.generations.generation_evolution import GenerationEvolution
from gpu_ls_plugin.evolution.generations.planned_evolution import PlannedEvolution
from gpu_ls_plugin.evolution.generations.restarts import Restarts
from gpu_ls_plugin.evolution.replacement import BestDistinct
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.solver.plans import plan_of_generations

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.crossing import Recombining
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.convergence import Convergence
    from gpu_ls_plugin.evolution.generations.evolution import Evolution
    from gpu_ls_plugin.evolution.replacement import Replacement

SIZE = 100  # of a population that is not chosen by the device


def evolution_of(
    problem: Problem,
    improver: Improver,
    crossover: Recombining | None = None,
    *,
    size: int | None = None,
    children: int | None = None,
    replacement: Replacement | None = None,
    converged: Convergence | None = None,
    seconds: float = math.inf,
) -> Evolution[Any] | None:
    """Return how a population is bred by a crossover and a search; None where these do not tell.

    Where nothing else is asked for, chains are kicked and crossed as by `solve`: a crossover whose
    children are never worse than their first parents needs no search after it, and a `LocalSearch`
    that can be fused repairs kicked tours. Otherwise each child is searched. So is each of routes
    that are crossed, where no crossover is never worse.

    Parameters
    ----------
    problem : Problem
    improver : Improver
    crossover : Recombining, optional
    size : int, optional
        Tours of the population; by default `solve`'s, or `SIZE`.
    children : int, optional
        Of each generation.
    replacement : Replacement, optional
        Of searched children.
    converged : Convergence, optional
        When the population starts anew from its best tour; never if None.
    seconds : float
        That the run has.
    """
    domain = domain_of(problem)
    own = domain.crossover(problem)
    limits = (improver.moves, improver.kicks, children, replacement)
    evolution: Evolution[Any]
    if (
        (own is None or crossover is None)  # which is never worse by lengths alone
        and all(limit is None for limit in limits)
        and (crossover is None or crossover.never_worse)
        and domain.goes_on(improver.given)
    ):
        plan = plan_of_generations(
            domain.asked(problem),
            population=size,
            search=improver.given,
            crossover=crossover,
            seconds=seconds,
            backend=improver.backend,
        )
        evolution = PlannedEvolution(plan)
    elif own is None and (crossover is None or problem.constrained):
        return None  # the framework breeds; a replacement here would go by costs alone
    else:
        crossover = own if crossover is None else crossover
        improver = replace(improver, thorough=True)
        generation = Generation(crossover, improver, replacement or BestDistinct())
        evolution = GenerationEvolution(generation, size or SIZE, children=children)
    return evolution if converged is None else Restarts(evolution, converged)
