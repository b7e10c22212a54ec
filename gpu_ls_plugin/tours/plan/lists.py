"""Candidate lists before a search: those that it asks for, or others if these take too long."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.engines import engines
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from gpu_ls_plugin.core.budget import Stopwatch
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch

SHARE = 0.5  # of the time that is left, after which nearest cities have to do
USUAL = Nearest(8)


def with_lists(
    search: IteratedLocalSearch, problem: Problem, backend: str, watch: Stopwatch, *, flexible: bool
) -> IteratedLocalSearch:
    """Return a search whose candidate lists are made, unless time is up before.

    Parameters
    ----------
    search : IteratedLocalSearch
    problem : Problem
    backend : str
    watch : Stopwatch
        Of the solve.
    flexible : bool
        Whether nearest cities may do if the lists take too long.
    """
    its, chosen, tours = search.search, get_backend(backend), tour_problem(problem)
    fixed = not flexible or isinstance(its.candidates, Nearest)
    share = 1.0 if fixed else SHARE
    if engines.ready(its, chosen, tours, share * watch.left) or fixed:
        return search
    its = replace(its, candidates=USUAL)
    engines.ready(its, chosen, tours, watch.left)
    return replace(search, search=its)
