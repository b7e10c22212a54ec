"""Which chains make the kicks that change routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.engines.linked_chains import LinkedChains
from gpu_ls_plugin.routes.engines.rebuilt_chains import RebuiltChains
from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
from gpu_ls_plugin.tours.engines.engines import candidate_moves

if TYPE_CHECKING:
    from gpu_ls_plugin.routes.engines.priced_chains import PricedChains
    from gpu_ls_plugin.tours.engines.chains.start import Kicking, Start
    from gpu_ls_plugin.tours.kicks.base import Perturbation


def route_chains(search: Kicking, start: Start, kick: Perturbation) -> PricedChains | None:
    """Return chains of an iterated search on giant tours, None where kicks change no routes."""
    its, rules = search.search, (search.accept, search.restart_after)
    if isinstance(kick, StringRemoval):
        kick.check(start.problem)
        return LinkedChains(start, *rules, kick.arguments, len(its.neighbourhoods))
    if search.in_one_kernel and kick.rebuilds:
        parts = candidate_moves(its, start.backend, start.problem)()
        return RebuiltChains(start, *rules, parts, kick)
    return None
