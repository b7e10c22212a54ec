"""What a run does with a problem: its settings, complete, and the stages of its plan."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.plan.states import settings_of_states, why_states
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.plugins.search_text import text_of
from gpu_ls_plugin.routes.plan.enumeration import Enumeration, best_of_all
from gpu_ls_plugin.routes.plan.fewer_vehicles import first_try, pay, seconds_of_a_try
from gpu_ls_plugin.routes.plan.first_generations import first_generations
from gpu_ls_plugin.routes.plan.in_parts import in_parts
from gpu_ls_plugin.routes.plan.routes import settings_of_routes, why_routes
from gpu_ls_plugin.routes.plan.soft_constraints import softened
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.runs.plan import Plan, Stage
from gpu_ls_plugin.runs.request import Request
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.compiling import prepare
from gpu_ls_plugin.solver.first_rows import first_row
from gpu_ls_plugin.tours.plan.first_moments import first_moments
from gpu_ls_plugin.tours.plan.first_tour import first_tour, hurried
from gpu_ls_plugin.tours.plan.tours import settings_of_tours, why_tours
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.crossovers.base import Recombination

SECONDS = 10.0  # that a run without a time limit is taken to have


def default_settings(
    problem: Problem,
    given: Settings,
    *,
    alike: bool = False,
    islands: int = 1,
    chains: bool = False,
) -> Settings:
    """Return settings that leave nothing open: what is not given follows from n and the device.

    How tours, routes and states are searched is said by `settings_of_tours`, `settings_of_routes`
    and `settings_of_states`. Many customers are searched in parts by `plan`, which asks here.

    Parameters
    ----------
    problem : Problem
    given : Settings
    alike : bool
        Whether the search of a tour is to be the same on all backends, as it is where kicks or
        moves are limited; else each has the moves that suit it.
    islands : int
        That search at the same time; several have half as many chains of routes, and of tours that
        are crossed, on a GPU each.
    chains : bool
        Whether the caller needs the chains of an `IteratedLocalSearch`: `Symmetrised` has none.

    Raises
    ------
    BackendUnavailableError
        As `get_backend` does.
    InvalidParameterError
        A search or a start is not for such a problem.
    InvalidTypeError
        `problem` is not a problem, or `given` is not a `Settings`.
    """
    if not isinstance(problem, Assignment):
        tour_problem(problem)  # which refuses what is none
    checks.instance("settings", given, kind=Settings, wanted="Settings")
    return _complete(
        problem, Request(given, get_backend(given.backend), islands, alike, generations=chains)
    )


def _complete(problem: Problem, request: Request) -> Settings:
    if isinstance(problem, Assignment):
        return settings_of_states(problem, request)
    if isinstance(problem, CVRP):
        return settings_of_routes(problem, request)
    return settings_of_tours(problem, request)


def complete_settings(problem: Problem, given: Settings, *, islands: int = 0) -> Settings:
    """Return default settings, by which routes of many customers are searched in parts."""
    chosen = default_settings(problem, given, islands=max(1, islands))
    if isinstance(problem, CVRP):
        chosen = in_parts(problem, given, chosen)
    if not islands and given.rows is not None and given.population is None:
        chosen = replace(chosen, population=max(chosen.population or 1, len(given.rows)))
    return chosen


def plan_of(problem: Problem, given: Settings, *, islands: int = 0) -> Plan:
    """Return what `solve` does with a problem, or what each of some islands does.

    Parameters
    ----------
    problem : Problem
    given : Settings
    islands : int
        That search at the same time; 0 for none.
    """
    chosen = complete_settings(problem, given, islands=islands)
    request = Request(given, get_backend(chosen.backend), max(1, islands))
    usual = given.search is None
    if isinstance(problem, Assignment):
        return planned(problem, chosen, main_stage(problem, problem, chosen, flexible=usual))
    if not islands and given.by_time_alone and (rows := best_of_all(problem)) is not None:
        search, why = Enumeration(rows, chosen.population or 1), "there are few solutions"
        return planned(problem, chosen, Stage("enumeration", why, search, problem, problem))
    if isinstance(problem, CVRP):
        return _plan_of_routes(problem, request, chosen, islands=bool(islands))
    main = main_stage(problem, problem, chosen, flexible=usual)
    if islands:
        return planned(problem, chosen, main)
    return _plan_of_tours(problem, request, chosen, main)


def planned(problem: Problem, chosen: Settings, *stages: Stage) -> Plan:
    """Return the plan of some stages under the limits of settings."""
    limits = {name: getattr(chosen, name) for name in ("seed", "kicks", "moves", "target")}
    told = tuple(replace(stage, how=_how(stage.search)) for stage in stages)
    return Plan(problem, told, chosen.seconds, get_backend(chosen.backend).name, **limits)


def _how(search: Any) -> str:
    """Return a search as a text."""
    inner = getattr(search, "search", None)
    if hasattr(inner, "kick"):  # a search of parts, or of a symmetric problem
        return f"{type(search).__name__} with {text_of(inner)}"
    return text_of(search)


def main_stage(
    problem: Problem, searched: Problem, chosen: Settings, *, flexible: bool = False
) -> Stage:
    """Return the stage that has the rest of the time."""
    if isinstance(searched, Assignment):
        kind, why = "states", why_states(searched, chosen)
    elif isinstance(searched, CVRP):
        kind, why = "routes", why_routes(searched, chosen)
    else:
        kind, why = "tours", why_tours(searched, chosen)
    return Stage(
        kind,
        why if flexible else "as it was asked for",
        chosen.search,
        problem,
        searched,
        chosen.population or 1,
        chosen.start,
        chosen.rows,
        flexible=flexible,
        prepare=partial(prepare, backend=chosen.backend),
    )


def _plan_of_tours(problem: Problem, request: Request, chosen: Settings, main: Stage) -> Plan:
    """Return one good tour, or a quick one, before a population."""
    good = first_moments(problem, request, chosen)
    if good is not None and good.seconds == math.inf:
        return planned(problem, chosen, good)
    if good is not None:
        return planned(problem, chosen, good, replace(main, joins=True))
    quick = first_tour(problem, request, chosen)
    if quick is None:
        return planned(problem, chosen, main)
    joins = hurried(problem, request, chosen)
    return planned(problem, chosen, quick, replace(main, joins=joins))


def _plan_of_routes(problem: CVRP, request: Request, chosen: Settings, *, islands: bool) -> Plan:
    """Return generations, where these are ahead, tries with fewer vehicles, and chains."""
    given = request.given
    searched = searched_as(problem, given, chosen)
    main = main_stage(problem, searched, chosen, flexible=given.search is None)
    if islands and not math.isfinite(given.seconds):
        return planned(problem, chosen, main)
    return planned(problem, chosen, *before_chains(problem, request, chosen, main, islands=islands))


def before_chains(
    problem: CVRP, request: Request, chosen: Settings, main: Stage, *, islands: bool = False
) -> tuple[Stage, ...]:
    """Return the stages of routes, of which chains are the main one."""
    breeding = first_generations(problem, request, chosen)
    stages = [] if breeding is None else [breeding]
    if not islands and pay(problem, request, chosen):
        left = chosen.seconds - sum(stage.seconds for stage in stages)
        seconds = seconds_of_a_try(left)
        given = replace(request.given, seconds=seconds, seed=chosen.seed)
        tried = _complete(problem, replace(request, given=given))
        stages.append(first_try(main, tried, seconds))
    return (*stages, main)


def searched_as(problem: CVRP, given: Settings, chosen: Settings) -> Problem:
    """Return what is searched: a problem, or scarce vehicles' routes under soft constraints."""
    if hasattr(given.search, "kick"):
        return problem
    chains = getattr(chosen.search, "search", None)  # of parts
    search = chosen.search if not hasattr(chains, "kick") else chains
    return softened(
        problem,
        search,
        chosen.seconds,
        lambda: first_row(problem, chosen.start, chosen.backend)[0],
    )


def plan_of_generations(
    problem: Problem,
    *,
    population: int | None = None,
    search: Callable[..., Any] | None = None,
    crossover: Recombination | None = None,
    seconds: float = math.inf,
    backend: str = "auto",
) -> Plan:
    """Return the plan of a population that an evolutionary algorithm has; what is given is taken.

    It is what `solve` would do with chains or states that go on generation by generation.

    Parameters
    ----------
    problem : Problem
    population : int, optional
    search : callable, optional
        A `LocalSearch` repairs kicked tours.
    crossover : Recombination, optional
        Whose children are taken where they are better than their first parents.
    seconds : float
        That the run has; without a limit no stage comes before the population.
    backend : str
    """
    timed, usual = math.isfinite(seconds), search is None
    given = Settings(seconds if timed else SECONDS, population, search=search, backend=backend)
    chosen = default_settings(problem, given, alike=not timed, chains=True)
    if crossover is not None:
        chosen = replace(chosen, search=replace(chosen.search, cooperation=crossover))  # type: ignore[type-var]
    if not isinstance(problem, CVRP):
        return planned(problem, chosen, main_stage(problem, problem, chosen, flexible=usual))
    main = main_stage(problem, searched_as(problem, given, chosen), chosen, flexible=usual)
    request = Request(given, get_backend(backend))
    stages = before_chains(problem, request, chosen, main) if timed else (main,)
    return planned(problem, chosen, *stages)
