"""Which evolution a memetic algorithm gets."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.chain_evolution import ChainEvolution
from gpu_ls_plugin.evolution.generation import Generation
from gpu_ls_plugin.evolution.generation_evolution import GenerationEvolution
from gpu_ls_plugin.searches import IteratedLocalSearch, LocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.evolution import Evolution
    from gpu_ls_plugin.evolution.improver import Improver
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.recombination.base import Recombination

SIZE = 100  # of a population that is not chosen by the device
SEARCH = "lin_kernighan/nearest(8)"  # of children, where none is given


def evolution_of(
    problem: TSP,
    improver: Improver,
    crossover: Recombination | None = None,
    *,
    size: int | None = None,
    children: int | None = None,
    seconds: float = math.inf,
) -> Evolution[Any] | None:
    """Return how a population is bred by a crossover and a search; None where these do not tell.

    Where nothing else is asked for, chains are kicked and crossed as by `solve`: a crossover whose
    children are never worse than their first parents needs no search after it, and a `LocalSearch`
    that can be fused repairs kicked tours. Otherwise each child is searched.

    Parameters
    ----------
    problem : TSP
    improver : Improver
    crossover : Recombination, optional
    size : int, optional
        Tours of the population; by default `solve`'s, or `SIZE`.
    children : int, optional
        Of each generation.
    seconds : float
        That the run has.
    """
    search = improver.given
    asked = any(limit is not None for limit in (improver.moves, improver.kicks, children))
    if not asked and _repairs(search) and (crossover is None or crossover.never_worse):
        return ChainEvolution.like_solve(
            problem,
            population=size,
            search=search,
            crossover=crossover,
            seconds=seconds,
            backend=improver.backend,
        )
    if crossover is None:
        return None
    if search is None:
        improver = replace(improver, search=SEARCH)
    return GenerationEvolution(Generation(crossover, improver), size or SIZE, children=children)


def _repairs(search: Any) -> bool:
    """Return whether a search, or the default one, can be fused with kicks."""
    if search is None:
        return True
    return isinstance(search, LocalSearch) and IteratedLocalSearch(search).fused
