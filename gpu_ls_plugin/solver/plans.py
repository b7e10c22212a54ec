"""What a run does with a problem: its settings, complete, and the stages of its plan."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.plugins.search_text import text_of
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.runs.plan import Plan, Stage
from gpu_ls_plugin.runs.request import Request
from gpu_ls_plugin.runs.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.problem import Problem

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

    The domain of the problem chooses them. Many customers are searched in parts by `plan_of`,
    which asks here.

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
    domain = domain_of(problem)
    checks.instance("settings", given, kind=Settings, wanted="Settings")
    request = Request(given, get_backend(given.backend), islands, alike, generations=chains)
    return domain.settings(problem, request)


def complete_settings(problem: Problem, given: Settings, *, islands: int = 0) -> Settings:
    """Return default settings, by which a domain may search large problems in parts."""
    chosen = default_settings(problem, given, islands=islands)
    chosen = domain_of(problem).divided(problem, given, chosen)
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
    request = Request(given, get_backend(chosen.backend), islands)
    return planned(problem, chosen, *domain_of(problem).stages(problem, request, chosen))


def plan_of_search(problem: Problem, chosen: Settings) -> Plan:
    """Return the plan of a search that is taken as it is, with complete settings."""
    return planned(problem, chosen, domain_of(problem).main_stage(problem, problem, chosen))


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


def plan_of_generations(
    problem: Problem,
    *,
    population: int | None = None,
    search: Callable[..., Any] | None = None,
    crossover: Any = None,
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
    timed = math.isfinite(seconds)
    given = Settings(seconds if timed else SECONDS, population, search=search, backend=backend)
    chosen = default_settings(problem, given, alike=not timed, chains=True)
    if crossover is not None:
        chosen = replace(chosen, search=replace(chosen.search, cooperation=crossover))  # type: ignore[type-var]
    request = Request(given, get_backend(backend), alike=not timed, generations=True)
    return planned(problem, chosen, *domain_of(problem).stages(problem, request, chosen))
