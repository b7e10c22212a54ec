"""Compiling what a search of tours needs, before its clock starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.batch_size import batch_size
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.runs.compiling import compile_search
from gpu_ls_plugin.runs.domain import first_row
from gpu_ls_plugin.tours.engines import compiling_ahead
from gpu_ls_plugin.tours.kernels.sites import grid_of, length_type, table_of
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Hashable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

_rehearsed: set[Hashable] = set()


def rehearse(problem: Problem, search: Any, size: int, start: str | None, backend: str) -> None:
    """Compile all that a search of some rows needs, once in a process for tours of points alike.

    On a copy of the problem, and on candidates that are made quickly: the programs depend neither
    on them nor on the tours.
    """
    chosen = get_backend(backend)
    batch_size(chosen, problem.n, size, name="population")
    alike = _alike(problem, search, size, chosen)
    if alike in _rehearsed:
        return
    copy = compiling_ahead.fresh_copy(problem)
    if hasattr(search, "quickened"):
        search = search.quickened(copy)
    tour = first_row(problem if problem.tsp is not problem else copy, start, backend)
    compile_search(search, copy, tour.repeat(size, axis=0), backend)
    if alike is not None:
        _rehearsed.add(alike)


def _alike(problem: Problem, search: Any, size: int, backend: Backend) -> Hashable:
    """Return what the programs of a search depend on; None where that is not known."""
    if type(problem) is not TSP or problem.coordinates is None or problem.rows is not None:
        return None
    if foreign(problem.metric) or not problem.objective.length_alone:
        return None
    longest = problem.metric.longest(problem.values)
    lengths = (grid_of(problem), length_type(problem.metric, longest), table_of(problem, longest))
    key = (problem.metric.name, problem.n, lengths, search, size, backend)
    try:
        hash(key)
    except TypeError:  # a search of somebody's own
        return None
    return key
