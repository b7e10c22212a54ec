"""Compiling what a run needs, before its clock starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.solver.first_rows import first_row
from gpu_ls_plugin.tours.construction.draws import batch_size
from gpu_ls_plugin.tours.engines import rehearsal
from gpu_ls_plugin.tours.kernels.sites import grid_of, length_type, table_of
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.runs.plan import Stage

_rehearsed: set[Hashable] = set()


def compile_search(
    search: Callable[..., Any], problem: Problem, tours: Any, backend: str | Backend
) -> None:
    """Compile what a search needs for a batch like `tours`, by letting it search for a moment.

    Parameters
    ----------
    search : callable
    problem : Problem
    tours : array, shape (P, n), integer
        Not changed.
    backend : {"auto", "cpu", "cuda"} or Backend

    Raises
    ------
    CompilationError, UnsupportedProblemError, BackendUnavailableError
        As the search does.
    KeyboardInterrupt
        Ctrl-C.
    """
    own = getattr(search, "compile_batch", None)
    if own is None:
        rehearsal.compile_batch(search, problem, tours, backend)
    else:
        own(problem, tours, get_backend(backend, tours=tours))


def prepare(stage: Stage, backend: str) -> None:
    """Compile what a stage needs."""
    rehearse(stage.searched, stage.search, stage.size, stage.start, backend)


def rehearse(problem: Problem, search: Any, size: int, start: str | None, backend: str) -> None:
    """Compile all that a search of some rows needs, once in a process for tours of points alike.

    On a copy of the problem, and on candidates that are made quickly: the programs depend neither
    on them nor on the tours.
    """
    chosen = get_backend(backend)
    batch_size(chosen, problem.n, size, name="population")
    if isinstance(problem, Assignment):
        if hasattr(search, "prepare"):  # others compile when they are called
            search.prepare(problem, backend=chosen)
        return
    alike = _alike(problem, search, size, chosen)
    if alike in _rehearsed:
        return
    copy = rehearsal.copy_of(problem)
    if hasattr(search, "quickened"):
        search = search.quickened(copy)
    tour = first_row(problem if isinstance(problem, CVRP) else copy, start, backend)
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
