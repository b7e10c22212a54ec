"""Candidate lists before a search: those that it asks for, or others if these take too long."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.candidates import Nearest
from gpu_ls_plugin.problems.tsp import tour_problem
from gpu_ls_plugin.searches import engines

if TYPE_CHECKING:
    from gpu_ls_plugin.budget import Stopwatch
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.searches import IteratedLocalSearch
    from gpu_ls_plugin.solver.settings import Settings

SHARE = 0.5  # of the time that is left, after which nearest cities have to do
USUAL = Nearest(8)


def with_lists(
    search: IteratedLocalSearch, problem: Problem, given: Settings, watch: Stopwatch
) -> IteratedLocalSearch:
    """Return a search whose candidate lists are made, unless time is up before.

    Parameters
    ----------
    search : IteratedLocalSearch
    problem : Problem
    given : Settings
        As they were asked for. A search that was is returned as it is.
    watch : Stopwatch
        Of the solve.
    """
    its, backend, tours = search.search, get_backend(given.backend), tour_problem(problem)
    fixed = given.search is not None or isinstance(its.candidates, Nearest)
    share = 1.0 if fixed else SHARE
    if engines.ready(its, backend, tours, share * watch.left) or fixed:
        return search
    its = replace(its, candidates=USUAL)
    engines.ready(its, backend, tours, watch.left)
    return replace(search, search=its)
