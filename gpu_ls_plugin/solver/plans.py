"""Plans of runs: complete settings, and the stages that follow from them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.plugins.search_text import text_of
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.runs.plan import Plan, Stage
from gpu_ls_plugin.runs.settings import Request, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.problem import Problem

SECONDS = 10.0  # time limit that is assumed for a run without one


def default_settings(
    problem: Problem,
    given: Settings,
    *,
    alike: bool = False,
    islands: int = 1,
    chains: bool = False,
) -> Settings:
    """Return complete settings, which the domain of the problem chooses.

    They depend on the size of the problem and on the device. If there are many customers, `plan_of`
    changes them to a search in parts.

    Parameters
    ----------
    problem : Problem
    given : Settings
    alike : bool
        Whether all backends must search with the same moves. If kicks or moves are limited, they
        always do.
    islands : int
        Number of islands that search at the same time. On each of several GPUs, there are half as
        many chains of routes and half as many crossed tours.
    chains : bool
        Whether the caller needs chains of an `IteratedLocalSearch`. `Symmetrised`, the default for
        many asymmetric problems, has none.

    Raises
    ------
    BackendUnavailableError
        See `get_backend`.
    InvalidParameterError
        The given search or start does not suit the problem.
    InvalidTypeError
        `problem` is not a problem, or `given` is not a `Settings`.
    """
    domain = domain_of(problem)
    checks.instance("settings", given, kind=Settings, wanted="Settings")
    request = Request(given, get_backend(given.backend), islands, alike, generations=chains)
    return domain.settings(problem, request)


def complete_settings(problem: Problem, given: Settings, *, islands: int = 0) -> Settings:
    """Return default settings, which a domain may change to search a large problem in parts."""
    chosen = default_settings(problem, given, islands=islands)
    chosen = domain_of(problem).divided(problem, given, chosen)
    if not islands and given.rows is not None and given.population is None:
        chosen = replace(chosen, population=max(chosen.population or 1, len(given.rows)))
    return chosen


def plan_of(problem: Problem, given: Settings, *, islands: int = 0) -> Plan:
    """Return the plan of `solve`, or the plan of an island.

    Parameters
    ----------
    islands : int
        Number of islands that search at the same time; 0 for none.
    """
    chosen = complete_settings(problem, given, islands=islands)
    request = Request(given, get_backend(chosen.backend), islands)
    return planned(problem, chosen, *domain_of(problem).stages(problem, request, chosen))


def plan_of_search(problem: Problem, chosen: Settings) -> Plan:
    """Return a plan with a single stage, from complete settings."""
    return planned(problem, chosen, domain_of(problem).main_stage(problem, problem, chosen))


def planned(problem: Problem, chosen: Settings, *stages: Stage) -> Plan:
    """Return a plan with given stages and the limits of settings."""
    limits = {name: getattr(chosen, name) for name in ("seed", "kicks", "moves", "target")}
    described = tuple(replace(stage, how=_how(stage.search)) for stage in stages)
    return Plan(problem, described, chosen.seconds, get_backend(chosen.backend).name, **limits)


def _how(search: Any) -> str:
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
    """Return the plan of an evolutionary algorithm whose population advances by generations.

    Arguments that are not given are chosen as in `solve`.

    Parameters
    ----------
    search : callable, optional
        A `LocalSearch` repairs kicked tours.
    crossover : Recombination, optional
        A child replaces its first parent if it is better.
    seconds : float
        Time limit of the run. Without a limit, the stage of the population is the only one.
    """
    timed = math.isfinite(seconds)
    given = Settings(seconds if timed else SECONDS, population, search=search, backend=backend)
    chosen = default_settings(problem, given, alike=not timed, chains=True)
    if crossover is not None:
        chosen = replace(chosen, search=replace(chosen.search, cooperation=crossover))  # type: ignore[type-var]
    request = Request(given, get_backend(backend), alike=not timed, generations=True)
    return planned(problem, chosen, *domain_of(problem).stages(problem, request, chosen))
