"""The evolution of a memetic algorithm, chosen by its arguments."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.generations.generation import Generation, GenerationEvolution
from gpu_ls_plugin.evolution.generations.restarts import Restarts
from gpu_ls_plugin.evolution.generations.staged_population import PlannedEvolution
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

SIZE = 100  # default number of tours if each child is searched


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
    """Return the evolution for a crossover and a search; None if the framework has to cross rows.

    By default, chains are kicked and crossed as in `solve`. The given crossover replaces the
    default one there if its children are never worse than their first parents, because such
    children need no search. The given search replaces the default one there if it is a
    `LocalSearch` that can repair kicked tours. In all other cases each child is searched, for
    example if routes are crossed.

    The default `size` is that of `solve`, or `SIZE` if each child is searched. `replacement` is
    used only if each child is searched. `converged` says when the population restarts from its
    best tour; if it is None, the population never restarts. `seconds` is the time limit of the run.
    """
    if crossover is not None:
        crossover.instance(problem)  # raises if it cannot cross such rows
    domain = domain_of(problem)
    own = domain.crossover(problem)
    limits = (improver.moves, improver.kicks, children, replacement)
    evolution: Evolution[Any]
    if (
        (own is None or crossover is None)  # `never_worse` compares lengths alone
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
        return None  # a `Replacement` compares costs and ignores constraints
    else:
        crossover = own if crossover is None else crossover
        improver = replace(improver, thorough=True)
        generation = Generation(crossover, improver, replacement or BestDistinct())
        evolution = GenerationEvolution(generation, size or SIZE, children=children)
    return evolution if converged is None else Restarts(evolution, converged)
