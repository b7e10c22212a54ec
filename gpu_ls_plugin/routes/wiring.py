"""Registers the engines of routes with those of tours, and the class of files with time windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.problem import cvrplib
from gpu_ls_plugin.tours.engines import services
from gpu_ls_plugin.tours.engines.chains import start as chains

if TYPE_CHECKING:
    from gpu_ls_plugin.routes.engines.prices import PricedChains
    from gpu_ls_plugin.routes.problem.vrp import VRP
    from gpu_ls_plugin.tours.engines.chains.start import Kicking, Start
    from gpu_ls_plugin.tours.engines.services import Service
    from gpu_ls_plugin.tours.kicks.base import Perturbation


def _linked_descent() -> Service:
    from gpu_ls_plugin.routes.engines.linked_descent import SERVICE

    return SERVICE


def _chains(search: Kicking, start: Start, kick: Perturbation) -> PricedChains | None:
    """Return the chains of an iterated search if its kicks are string removals, otherwise None."""
    from gpu_ls_plugin.routes.engines.linked_chains import LinkedChains
    from gpu_ls_plugin.routes.removals.string_removal import StringRemoval

    if not isinstance(kick, StringRemoval):
        return None
    kick.check(start.problem)
    rules, parts = (search.accept, search.restart_after), len(search.search.neighbourhoods)
    return LinkedChains(start, *rules, kick.arguments, parts)


def _class_with_windows() -> type[VRP]:
    from gpu_ls_plugin.routes.problem.vrp import VRP

    return VRP


cvrplib.classes_with_windows.append(_class_with_windows)
services.of_other_domains.append(_linked_descent)
chains.chains_of_other_domains.append(_chains)
