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
    """Return the chains of an iterated search if its kicks rebuild routes, otherwise None."""
    from gpu_ls_plugin.routes.engines.linked_chains import LinkedChains
    from gpu_ls_plugin.routes.engines.rebuilt_chains import RebuiltChains
    from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
    from gpu_ls_plugin.tours.engines.engines import candidate_moves

    local, rules = search.search, (search.accept, search.restart_after)
    if isinstance(kick, StringRemoval):
        kick.check(start.problem)
        return LinkedChains(start, *rules, kick.arguments, len(local.neighbourhoods))
    if search.in_one_kernel and kick.rebuilds:
        parts = candidate_moves(local, start.backend, start.problem)()
        return RebuiltChains(start, *rules, parts, kick)
    return None


def _class_with_windows() -> type[VRP]:
    from gpu_ls_plugin.routes.problem.vrp import VRP

    return VRP


cvrplib.classes_with_windows.append(_class_with_windows)
services.of_other_domains.append(_linked_descent)
chains.chains_of_other_domains.append(_chains)
