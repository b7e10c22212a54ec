"""Registers the engines of routes with those of tours, and the class of files with time windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.routes.problem import cvrplib
from gpu_ls_plugin.tours.engines import services
from gpu_ls_plugin.tours.engines.chains import start as chains

if TYPE_CHECKING:
    from gpu_ls_plugin.routes.engines.prices import PricedChains
    from gpu_ls_plugin.routes.problem.vrp import VRP
    from gpu_ls_plugin.tours.engines.chains.start import Kicking, Start
    from gpu_ls_plugin.tours.engines.services import Parameters, Service
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP


def _linked_descent() -> Service:
    from gpu_ls_plugin.routes.engines.linked_descent import SERVICE

    return SERVICE


def _chains(search: Kicking, start: Start, kick: Perturbation) -> PricedChains | None:
    """Return the chains of an iterated search if its kicks are string removals, otherwise None."""
    from gpu_ls_plugin.routes.engines.linked_chains import LinkedChains
    from gpu_ls_plugin.routes.removals.string_removal import StringRemoval

    if not isinstance(kick, StringRemoval):
        return None
    rules, parts = (search.accept, search.restart_after), len(search.search.neighbourhoods)
    return LinkedChains(start, *rules, kick.arguments, parts)


def _check_search(search: Parameters, problem: TSP) -> None:
    """Raise UnsupportedProblemError if a local search on candidate lists does not serve routes."""
    from gpu_ls_plugin.routes.problem.routing import Routing
    from gpu_ls_plugin.tours.candidates.nearest import All

    if not isinstance(problem.objective, Routing) or isinstance(search.candidates, All):
        return
    if not all(part.alone for part in search.neighbourhoods):
        raise UnsupportedProblemError(
            "neighbourhoods: routes with candidate lists are searched by RouteMoves(), alone or "
            f"before SwapStar(), not by {list(search.neighbourhoods)}; use "
            "LocalSearch([RouteMoves()], Nearest(20)), or candidates=All() for all moves"
        )


def _kick(problem: TSP, kick: Perturbation | None) -> Perturbation | None:
    """Return the kick of chains on routes, by default string removals; None for other tours."""
    from gpu_ls_plugin.routes.problem.routing import Routing
    from gpu_ls_plugin.routes.removals.string_removal import StringRemoval

    if not isinstance(problem.objective, Routing):
        if isinstance(kick, StringRemoval):
            kick.check(problem)  # raises: there are no routes
        return None
    chosen = StringRemoval() if kick is None else kick
    if not isinstance(chosen, StringRemoval):
        raise UnsupportedProblemError(
            f"perturbation: chains on routes are kicked by StringRemoval(), not by {kick!r}; use "
            "IteratedLocalSearch(search, StringRemoval())"
        )
    chosen.check(problem)
    return chosen


def _class_with_windows() -> type[VRP]:
    from gpu_ls_plugin.routes.problem.vrp import VRP

    return VRP


cvrplib.classes_with_windows.append(_class_with_windows)
services.of_other_domains.append(_linked_descent)
services.checks_of_other_domains.append(_check_search)
chains.chains_of_other_domains.append(_chains)
chains.kicks_of_other_domains.append(_kick)
