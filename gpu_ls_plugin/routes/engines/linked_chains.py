"""Chains of an iterated local search on linked lists of routes, in one kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.routes.engines.prices import PricedChains
from gpu_ls_plugin.routes.kernels.linked_rows import LinkedRows
from gpu_ls_plugin.routes.moves.between_routes import RouteMoves
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.problem.device_data import batch_data

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.routes.kernels.linked_rows import LinkedTypes
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.engines.chains.start import Start

HEADER, CHAINS = "routes/engines/linked_chain.cuh", "tours/engines/chains/chain_batch.cuh"
OWN = (
    *(struct_of(CHAINS, name) for name in ("KickSchedule", "ChainBatch")),
    struct_of(HEADER, "LinkedBatch"),
    struct_of("routes/engines/string_removal.cuh", "StringRuin"),
)
LOOKS = 1000  # maximum number of looks per kick, because rounding errors could make a repair cycle
FIRST_KICKS = {"cuda": 50, "cpu": 200}  # kicks per chain in the first launch, which must be short


def string_kernel(accept: Acceptance, types: LinkedTypes) -> Kernel:
    """Compose the kernel that runs one chain per team."""
    kernel = types.kernel(HEADER, "LinkedChain", own=OWN, more=(accept.functor,))
    return replace(
        kernel,
        headers=(*kernel.headers, accept.header),
        functors=(*kernel.functors, *sources_of(accept)),
        parts=(*kernel.parts, "string_removal", accept.name),
    )


class LinkedChains(PricedChains):
    """Chains on linked lists of routes that kick, repair, and accept or undo, all in one kernel.

    `ruin` holds the arguments of gls::StringRuin. `neighbourhoods` is the number of neighbourhoods
    of the descent that precedes the chains; the moves of each neighbourhood are counted separately.
    """

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        ruin: dict[str, Any],
        neighbourhoods: int,
    ) -> None:
        problem = routing_problem(start.problem)
        # This attribute keeps the rows alive, because kernels read their arrays.
        self._rows = rows = LinkedRows(start.backend, problem, start.problem, len(start.tours))
        self._kernel, self._shared_bytes = string_kernel(accept, rows.types), rows.shared_bytes
        start.backend.begin(self._kernel)  # it takes the longest to compile
        super().__init__(start, accept, patience, neighbourhoods=neighbourhoods)
        self._arguments = {
            **rows.arguments,
            **rows.of_chains(LOOKS),
            **batch_data(start.backend, start.problem, len(start.tours)),  # `reprice` writes to it
            **self.state_arguments,
            **ruin,
            "seed": start.seed,
            "first_row": start.first_row,
            "max_moves": start.max_moves,
            "patience": self.patience,
        }

    def set_weights(self, price: Any) -> None:
        objective, weights = self.start.problem.objective, self._arguments["weights"]
        assert isinstance(objective, Routing)
        built_in = len(objective.built_in)
        priced = objective.weights(price)[:built_in].view(weights.dtype)
        weights[:built_in] = self.start.backend.xp.asarray(priced)
        self._rows.routes.reprice(price)

    def first_kicks(self) -> int:
        return FIRST_KICKS[self.start.backend.name]

    def moves_per_look(self) -> int:
        return RouteMoves().variants(int(self._arguments["near_each"]), True)
