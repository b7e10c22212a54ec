"""Descents and chains on the rows of many vehicle routing problems, in single launches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.routes.engines.linked_chains import FIRST_KICKS, LOOKS, string_kernel
from gpu_ls_plugin.routes.engines.linked_descent import descent_kernel
from gpu_ls_plugin.routes.moves.between_routes import RouteMoves
from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.engines.descent.city_descent import look_bits
from gpu_ls_plugin.tours.engines.engine import RUNNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.routes.many.instances import RouteInstances
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.moves.base import Neighbourhood

MOST_LOOKS = 1000  # maximum number of looks of a descent, per node: rounding could make it cycle


def descend(
    instances: RouteInstances,
    tours: Any,
    *,
    neighbourhoods: Sequence[Neighbourhood] = (RouteMoves(),),
    moves: int = NO_LIMIT,
    states: Any = None,
    seconds: float = math.inf,
) -> Any:
    """Improve giant tours (R, n) in place until no move does, in one launch.

    Parameters
    ----------
    neighbourhoods : sequence of Neighbourhood
        `RouteMoves()`, alone or followed by `SwapStar()`.
    moves : int
        Maximum number of moves of a row.
    states : array of the backend, shape (R,), uint8, optional
        `RUNNING` for the rows to search; other rows stay as they are. By default, all are searched.
    seconds : float
        A CPU then cuts the launch short.

    Returns
    -------
    array of the backend, shape (R,), int64
        Number of moves of each row.
    """
    backend, rows, kinds = instances.backend, len(tours), len(neighbourhoods)
    xp, n, layout = backend.xp, instances.sizes.n, instances.layout(kinds)
    words = -(-n // 32)
    nodes = np.arange(n)[np.newaxis]
    looks = np.zeros((rows, kinds * words), np.uint32)
    looks[:, :words] = look_bits(np, (nodes > 0) & (nodes <= instances.sizes.customers))
    made = xp.zeros(rows, "int64")
    arguments = {
        **instances.of_rows(rows),
        "passes": min(MOST_LOOKS * n, 2**31 - 1),
        "max_moves": moves,
        "tours": tours,
        "states": xp.full(rows, RUNNING, "uint8") if states is None else states,
        "pass_counts": xp.zeros(rows, "int64"),
        "move_counts": made,
        "moves_by": xp.zeros(kinds, "int64"),
        "scratch": instances.scratch(rows, layout, kinds),
        "looks": xp.asarray(looks),
        "sweeps": xp.zeros(rows, "int32"),
    }
    kernel = descent_kernel(instances.types(layout), neighbourhoods)
    shared = layout.shared_bytes(n)
    backend.launch(kernel, rows, arguments, shared_bytes=shared, seconds=seconds)
    return made


def start_of(instances: RouteInstances, tours: Any, seed: int, first_row: int = 0) -> Start:
    """Return the start of chains on giant tours (R, n), which they change."""
    return Start.on_arrays(instances.backend, instances.sizes.n, tours, seed, first_row=first_row)


class InstanceChains(ChainState):
    """Chains on rows of instances: they kick, repair, and accept or undo, all in one kernel.

    `start` has the giant tours (R, n), which the chains change; `ruin` holds the arguments of
    gls::StringRuin. `kicks`, int64 (R,), are the numbers of the kicks that the chains begin with, 0
    by default. With `prices`, routes may carry too much between kicks, as in `RouteInstances.soft`;
    the best tours stay feasible.
    """

    def __init__(
        self,
        instances: RouteInstances,
        start: Start,
        accept: Acceptance,
        ruin: dict[str, Any],
        kicks: Any = None,
        prices: Sequence[float] = (),
    ) -> None:
        rows, layout = len(start.tours), instances.layout()
        self.start, self.accept = start, accept
        costs, units = instances.costs(start.tours)
        super().__init__(
            start.backend.xp, start.tours, costs, units, current_is_best=accept.never_worse
        )
        if kicks is not None:
            self.kicks = kicks
        self._kernel = string_kernel(accept, instances.types(layout))
        self._shared_bytes = layout.shared_bytes(instances.sizes.n)
        self._arguments = {
            **instances.of_rows(rows),
            **instances.kept(rows, layout),
            **self.state_arguments,
            **ruin,
            "scratch": instances.scratch(rows, layout),
            "looks": LOOKS,
            "ahead": 0,
            "window": 0,
            "seed": start.seed,
            "first_row": start.first_row,
            "max_moves": start.max_moves,
            "patience": 0,
        }
        if prices:
            self._arguments |= instances.soft(units, prices)

    def first_kicks(self) -> int:
        """Return the number of kicks of the first launch."""
        return FIRST_KICKS[self.start.backend.name]

    def moves_per_look(self) -> int:
        """Return how many moves a look at a customer evaluates."""
        return RouteMoves().variants(int(self._arguments["near_each"]), True)
