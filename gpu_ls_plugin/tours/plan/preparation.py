"""Preparation of a stage: compiles its programs and makes its candidate lists."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.runs.compiling import at_once, compile_search
from gpu_ls_plugin.runs.domain import first_row
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.engines import engines
from gpu_ls_plugin.tours.engines.compiling_ahead import fresh_copy, placeholder_tours
from gpu_ls_plugin.tours.kernels.evaluation import exact_costs
from gpu_ls_plugin.tours.kernels.sites import grid_of, length_type, table_of
from gpu_ls_plugin.tours.problem.tsp import TSP, tour_problem

if TYPE_CHECKING:
    from collections.abc import Hashable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Stopwatch
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch

SHARE = 0.5  # share of the remaining time; USUAL replaces candidate lists that take longer
USUAL = Nearest(8)  # candidate lists that are quick to make
_compiled: set[Hashable] = set()  # keys of searches whose programs are compiled


def compile_ahead(
    problem: Problem, search: Any, size: int, start: str | None, backend: str
) -> None:
    """Compile all programs for a search of `size` rows, once per process for similar problems.

    The function uses a copy of the problem, and candidate lists that take little time: the programs
    depend neither on the lists nor on the tours.
    """
    chosen = get_backend(backend)
    batch_size(chosen, problem.n, size, name="population")
    key = _programs_key(problem, search, size, chosen)
    if key in _compiled:
        return
    copy = fresh_copy(problem)
    if hasattr(search, "quickened"):
        search = search.quickened(copy)
    own = problem if problem.tsp is not problem else copy
    row = chosen.xp.asarray(placeholder_tours(copy, 1))
    at_once(
        chosen,
        partial(compile_search, search, copy, placeholder_tours(copy, size), backend),
        partial(first_row, own, start, backend),
        partial(exact_costs, chosen, own, row),  # of the result
    )
    if key is not None:
        _compiled.add(key)


def _programs_key(problem: Problem, search: Any, size: int, backend: Backend) -> Hashable:
    """Return a key of everything on which the programs of a search depend; None if unknown."""
    if type(problem) is not TSP or problem.rows is not None:
        return None
    if foreign(problem.metric) or not problem.objective.length_alone:
        return None
    longest = problem.metric.longest(problem.values)
    if problem.matrix is None:
        type_ = length_type(problem.metric, longest)
        lengths: Hashable = (grid_of(problem), type_, table_of(problem, longest))
    else:
        lengths = (problem.matrix.dtype.str, problem.symmetric, longest)
    key = (problem.metric.name, problem.n, lengths, search, size, backend)
    try:
        hash(key)
    except TypeError:  # a plugin's search that is not hashable
        return None
    return key


def with_lists(
    search: IteratedLocalSearch, problem: Problem, backend: str, watch: Stopwatch, *, flexible: bool
) -> IteratedLocalSearch:
    """Make the candidate lists of a search within the remaining time; return the search to use.

    Parameters
    ----------
    watch : Stopwatch
        Clock of the run.
    flexible : bool
        Whether nearest cities may replace candidate lists that take too long.
    """
    local, chosen, tours = search.search, get_backend(backend), tour_problem(problem)
    fixed = not flexible or isinstance(local.candidates, Nearest)
    share = 1.0 if fixed else SHARE
    if engines.ready(local, chosen, tours, share * watch.left) or fixed:
        return search
    local = replace(local, candidates=USUAL)
    engines.ready(local, chosen, tours, watch.left)
    return replace(search, search=local)
