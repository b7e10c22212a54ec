"""Adds the engines of routes to those that searches of tours choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.tours.engines import services
from gpu_ls_plugin.tours.engines.chains import start as chains

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.engines.chains.start import Kicking, Start
    from gpu_ls_plugin.tours.engines.services import Service
    from gpu_ls_plugin.tours.kicks.base import Perturbation


def _linked_descent() -> Service:
    from gpu_ls_plugin.routes.engines.linked_descent import SERVICE

    return SERVICE


def _chains(search: Kicking, start: Start, kick: Perturbation) -> Chains | None:
    from gpu_ls_plugin.routes.removals.route_chains import route_chains

    return route_chains(search, start, kick)


services.of_other_domains.append(_linked_descent)
chains.chains_of_other_domains.append(_chains)
