"""Whether asymmetric problems are searched as symmetric ones, and how."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.tours.plan import crossed_tours
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.two_nodes import TwoNodes
from gpu_ls_plugin.tours.searches.symmetrised import Symmetrised

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

SMALLEST, LARGEST = 8, 2500  # cities; the matrix of the largest takes 100 MB
SECONDS = 5e-4  # for a city, until crossed tours are ahead of a few that start with near cities


def pays(problem: Problem, seconds: float) -> bool:
    """Return whether an asymmetric problem has a symmetric one, and there is time to search it."""
    return (
        type(problem) is TSP
        and not problem.symmetric
        and TwoNodes.serves(problem)
        and SMALLEST <= problem.n <= LARGEST
        and seconds >= SECONDS * problem.n
        and TwoNodes.fits(problem)
    )


def search_of(problem: TSP, backend: Backend, seconds: float) -> tuple[Symmetrised, int]:
    """Return the search and how many tours it has: as tours of twice the cities are crossed."""
    half, usual = seconds / 2, Symmetrised()
    search = replace(usual.search, cooperation=crossed_tours.crossover(problem, backend, half))
    return replace(usual, search=search), crossed_tours.population(problem, backend, half)
