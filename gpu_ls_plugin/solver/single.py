"""Solve one instance: starts, what a search needs, then searching until time is up."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.budget import Budget, Stopwatch
from gpu_ls_plugin.candidates import All
from gpu_ls_plugin.construction.draws import batch_size
from gpu_ls_plugin.history import Point, shifted
from gpu_ls_plugin.plugins.registry import registry
from gpu_ls_plugin.problems.assignment import Assignment
from gpu_ls_plugin.problems.cvrp import CVRP
from gpu_ls_plugin.problems.tsp import TSP, tour_problem
from gpu_ls_plugin.result import Result, Statistics, later
from gpu_ls_plugin.searches import (
    Decomposed,
    HybridGeneticSearch,
    IteratedLocalSearch,
    Symmetrised,
    rehearsal,
)
from gpu_ls_plugin.searches.audit import as_asked
from gpu_ls_plugin.searches.chains.rehearsal import compile_chains
from gpu_ls_plugin.searches.decomposition.decomposed import compile_parts
from gpu_ls_plugin.searches.successors import SuccessorSearch
from gpu_ls_plugin.searches.successors.first_states import completed
from gpu_ls_plugin.solver.fewer_vehicles import FewerVehicles, pay
from gpu_ls_plugin.solver.first_generations import FirstGenerations, first_generations
from gpu_ls_plugin.solver.first_moments import first_moments
from gpu_ls_plugin.solver.first_tour import first_tour
from gpu_ls_plugin.solver.in_parts import chains_of, in_parts
from gpu_ls_plugin.solver.lists import with_lists
from gpu_ls_plugin.solver.opened import OneByOne
from gpu_ls_plugin.solver.settings import default_settings
from gpu_ls_plugin.solver.soft_constraints import softened
from gpu_ls_plugin.solver.tiny import solve_tiny
from gpu_ls_plugin.tours.sites import grid_of, length_type, table_of
from gpu_ls_plugin.trust import foreign

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Callback
    from gpu_ls_plugin.solver.opened import Opened
    from gpu_ls_plugin.solver.settings import Settings

UNREACHED = -(2.0**62)  # cost of no state
_rehearsed: set[Hashable] = set()


def solve(problem: Problem, settings: Settings, callback: Callback | None = None) -> Result:
    """Return the best tours or states found in the time, the cheapest first.

    Ctrl-C ends the search early: what was found so far is returned and the statistics say
    "interrupt". Their phases begin with "compiling", which is not part of their seconds.

    Parameters
    ----------
    problem : Problem
    settings : Settings
        Completed by `default_settings`.
    callback : callable, optional
        Called with a `Progress` after each launch.

    Raises
    ------
    InvalidParameterError, UnsupportedProblemError, BackendUnavailableError
        As the parts do.
    InsufficientMemoryError
        So many tours do not fit the memory.
    KeyboardInterrupt
        Ctrl-C before the first tours were made.
    """
    checks.callback(callback)
    chosen = in_parts(problem, settings, default_settings(problem, settings))
    if settings.rows is not None and settings.population is None:
        chosen = replace(chosen, population=max(chosen.population or 1, len(settings.rows)))
    tiny = solve_tiny(problem, settings, chosen, callback)
    if tiny is not None:
        return tiny
    search: Any = chosen.search
    place = {"backend": chosen.backend}
    before = Statistics(backend=get_backend(chosen.backend).name)
    with before.phase("compiling"):
        searched = searched_as(problem, settings, chosen)
        opened = opened_by(problem, searched, settings, chosen)
        if opened is not None:
            opened.compile()
        if opened is None or not opened.alone:
            rehearse(searched, chosen)

    watch = Stopwatch(chosen.budget(chosen.seconds))
    if opened is not None:
        with before.phase("opening"):
            opened.begin(watch, callback)
        if opened.done:
            return opened.result(before, watch.elapsed, settings.population)
    fleet = None if opened is None else opened.fleet
    searched = limited(searched, fleet)
    tours: NDArray[np.int32] | None = None
    try:
        with before.phase("starts"):
            tours = starts_of(limited(problem, fleet), chosen)
            if opened is not None:
                opened.join(tours)
        with before.phase("candidates"):
            if _has_lists(search):
                search = with_lists(search, problem, settings, watch)
        begin = watch.elapsed
        if opened is not None and callback is not None:
            callback = opened.followed(callback)
        found = search(
            searched,
            tours,
            seed=chosen.seed,
            budget=chosen.budget(watch.left),
            callback=callback and later(callback, begin),
            **place,
        )
    except KeyboardInterrupt:  # while no search could take it
        if opened is not None:
            opened.found.statistics.stopped_by = "interrupt"
            return opened.result(before, watch.elapsed, settings.population)
        if tours is None:
            raise
        begin, before.stopped_by = 0.0, "interrupt"
        if isinstance(problem, Assignment):
            tours = completed(problem, tours, 0)
        found = Result(tours, problem.cost(tours), before, problem)
    timed = _timed(as_asked(found, problem, search).sorted(), before, begin, watch.elapsed)
    return timed if opened is None else opened.merged(timed)


def searched_as(problem: Problem, given: Settings, chosen: Settings) -> Problem:
    """Return what is searched: a problem, or scarce vehicles' routes under soft constraints."""
    if isinstance(given.search, IteratedLocalSearch):
        return problem
    search, seconds = chains_of(chosen.search), chosen.seconds
    return softened(problem, search, seconds, lambda: first_start(problem, chosen)[0])


def opened_by(
    problem: Problem, searched: Problem, given: Settings, chosen: Settings
) -> Opened | None:
    """Return the search before that of a population, None where there is none."""

    def chains(fleet: int | None, seconds: float, callback: Callback | None) -> Result:
        """Search as a population would that had so many seconds in all."""
        wanted = replace(given, seconds=seconds, seed=chosen.seed)
        its = default_settings(problem, wanted)
        search: Any = its.search
        found = search(
            limited(searched, fleet),
            starts_of(limited(problem, fleet), its),
            seed=its.seed,
            budget=its.budget(seconds),
            backend=its.backend,
            callback=callback,
        )
        return as_asked(found, problem, search).sorted()

    def compiled(fleet: int) -> None:
        rehearse(limited(searched, fleet), chosen)

    if not isinstance(problem, CVRP):
        return first_moments(problem, given, chosen) or first_tour(problem, given, chosen)
    planned = first_generations(problem, given, chosen)
    openings: list[Opened] = [FirstGenerations(problem, chosen, planned)] if planned else []
    if pay(problem, given, chosen):
        openings.append(FewerVehicles(problem, chosen, chains, compiled))
    return OneByOne(chosen, openings) if openings else None


def limited(problem: Problem, fleet: int | None) -> Problem:
    """Return a problem with so many vehicles at most, itself where that is None."""
    if fleet is None:
        return problem
    assert isinstance(problem, CVRP)
    return problem.with_fleet(fleet)


def starts_of(problem: Problem, settings: Settings) -> NDArray[np.int32]:
    """Return the given rows, filled up to the population with tours or empty states."""
    size = settings.population or 1
    given = np.empty((0, problem.n), np.int32) if settings.rows is None else settings.rows[:size]
    missing = size - len(given)
    if not missing:
        return given.copy()
    if isinstance(problem, Assignment):
        return np.concatenate([given, np.full((missing, problem.n), -1, np.int32)])
    construct = registry.lookup("construction", str(settings.start))
    made: NDArray[np.int32] = construct(
        problem, size=missing, seed=settings.seed, backend=settings.backend
    )
    return np.concatenate([given, made]) if len(given) else made


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
    chosen = get_backend(backend, tours=tours)
    if isinstance(search, Symmetrised | HybridGeneticSearch):
        search._rehearse(tour_problem(problem), tours, chosen, None)
        return
    if isinstance(search, Decomposed):  # by one thread, before there are many
        compile_parts(search, tour_problem(problem), tours, chosen)
    rehearsal.compile_batch(search, problem, tours, backend)
    if isinstance(search, IteratedLocalSearch):
        compile_chains(search, tour_problem(problem), tours, chosen)


def rehearse(problem: Problem, settings: Settings) -> None:
    """Compile all that a solve needs, once in a process for tours of points alike.

    On a copy of the problem, and on candidates that are made quickly: the programs depend neither
    on them nor on the tours.
    """
    backend = get_backend(settings.backend)
    batch_size(backend, problem.n, settings.population, name="population")
    search: Any = settings.search
    if isinstance(problem, Assignment):
        _rehearse_states(problem, search, backend)
        return
    alike = _alike(problem, settings, backend)
    if alike in _rehearsed:
        return
    copy = rehearsal.copy_of(problem)
    if isinstance(search, IteratedLocalSearch):
        search = replace(search, search=rehearsal.quick(search.search, copy))
    tour = first_start(problem if isinstance(problem, CVRP) else copy, settings)
    compile_search(search, copy, tour.repeat(settings.population or 1, axis=0), settings.backend)
    if alike is not None:
        _rehearsed.add(alike)


def _alike(problem: Problem, settings: Settings, backend: Backend) -> Hashable:
    """Return what the programs of a solve depend on; None where that is not known."""
    if type(problem) is not TSP or problem.coordinates is None or problem.rows is not None:
        return None
    if foreign(problem.metric) or not problem.objective.length_alone:
        return None
    longest = problem.metric.longest(problem.values)
    lengths = (grid_of(problem), length_type(problem.metric, longest), table_of(problem, longest))
    key = (problem.metric.name, problem.n, lengths, settings.search, settings.population, backend)
    try:
        hash(key)
    except TypeError:  # a search of somebody's own
        return None
    return key


def first_start(problem: Problem, settings: Settings) -> NDArray[np.int32]:
    """Return the first tour, made on a copy of routes: what they keep for starts counts as time."""
    own = pickle.loads(pickle.dumps(problem)) if isinstance(problem, CVRP) else problem
    return starts_of(own, replace(settings, population=1, seed=0))


def _rehearse_states(problem: Assignment, search: Any, backend: Backend) -> None:
    """Let a search go through two short rounds, whatever cost would be good enough."""
    if not isinstance(search, SuccessorSearch):
        return  # compiles when it is called
    empty = np.full((2, problem.n), -1, np.int32)
    budget = Budget(kicks=2, target=UNREACHED)
    found = replace(search, steps=1)(problem, empty, budget=budget, backend=backend)
    if found.statistics.interrupted:
        raise KeyboardInterrupt


def _has_lists(search: object) -> bool:
    """Return whether a search needs candidate lists."""
    return isinstance(search, IteratedLocalSearch) and not isinstance(search.search.candidates, All)


def _timed(found: Result, before: Statistics, begin: float, seconds: float) -> Result:
    """Return what a search found with the times of the whole, where it began after `begin`."""
    own = found.statistics
    history = shifted(own.history, begin)
    if not history:
        best, mean = found.best_cost, float(found.costs.mean())
        history = [Point(seconds, own.kicks, best, mean)]
    phases = before.phases | own.phases
    return replace(found, statistics=replace(own, seconds=seconds, phases=phases, history=history))
