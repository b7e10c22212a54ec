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
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.runs.request import repairs
from gpu_ls_plugin.solver.plans import plan_of_generations
from gpu_ls_plugin.tours.crossovers.tour_crossovers import SegmentCrossover
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.convergence import Convergence
    from gpu_ls_plugin.evolution.generations.evolution import Evolution
    from gpu_ls_plugin.evolution.replacement import Replacement
    from gpu_ls_plugin.tours.crossovers.base import Recombination
    from gpu_ls_plugin.tours.problem.tsp import TSP

SIZE = 100  # of a population that is not chosen by the device
SEARCH = "lin_kernighan/nearest(8)"  # of children, where none is given


def evolution_of(
    problem: TSP,
    improver: Improver,
    crossover: Recombination | None = None,
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
    problem : TSP
    improver : Improver
    crossover : Recombination, optional
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
    routes = isinstance(problem.objective, Routing)
    limits = (improver.moves, improver.kicks, children, replacement)
    evolution: Evolution[Any]
    if (
        not (routes and crossover is not None)  # which is never worse by lengths alone
        and all(limit is None for limit in limits)
        and _needs_no_children(crossover, improver.given)
    ):
        plan = plan_of_generations(
            routing_problem(problem) if routes else problem,
            population=size,
            search=improver.given,
            crossover=crossover,
            seconds=seconds,
            backend=improver.backend,
        )
        evolution = PlannedEvolution(plan)
    elif not routes and (crossover is None or problem.constrained):
        return None  # the framework breeds; a replacement here would go by costs alone
    else:
        crossover = crossover or SegmentCrossover()
        improver = replace(improver, default=SEARCH)
        generation = Generation(crossover, improver, replacement or BestDistinct())
        evolution = GenerationEvolution(generation, size or SIZE, children=children)
    return evolution if converged is None else Restarts(evolution, converged)


def _needs_no_children(crossover: Recombination | None, search: Any) -> bool:
    """Return whether children can replace their parents as they are, and a search, or the default
    one, be fused with kicks.
    """
    improves = crossover is None or crossover.never_worse
    if search is None or not improves:
        return improves
    return repairs(search) and IteratedLocalSearch(search).fused
