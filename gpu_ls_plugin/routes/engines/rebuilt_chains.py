"""Chains, in one kernel, of an iterated local search whose kicks rebuild giant tours."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.routes.engines.prices import PricedChains
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_kernel import PARAMETERS
from gpu_ls_plugin.tours.engines.descent import descent_layouts
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.problem.device_data import batch_data
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.engines.chains.start import Start
    from gpu_ls_plugin.tours.kicks.base import Perturbation, Rebuilding
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves, Moves
    from gpu_ls_plugin.tours.problem.metrics import Metric

HEADER = "routes/engines/rebuilt_chain.cuh"
KICK_BYTES = 1024  # bytes of shared memory for the kicks of a block
MOST_WARPS = {"many": 12, "most": 8}  # maximum per block, by how many registers moves need
CHOOSING_WARPS = 8  # maximum per block if moves search for insertion places
SECONDS_PER_KICK = {"cuda": 2e-3, "cpu": 5e-4}  # upper bounds on the time of a kick


def rebuilt_shape(
    n: int, tours: int, shared_memory: int, needs: tour_layouts.ChainNeeds
) -> tour_layouts.DescentShape:
    """Return the launch layout for `tours` chains per multiprocessor.

    See `descent_layouts.descent_shape` for the other parameters.
    """
    most = CHOOSING_WARPS if needs.chooses else MOST_WARPS.get(needs.registers, tours)
    return descent_layouts.descent_shape(
        n, min(tours, most), shared_memory - KICK_BYTES, needs=needs
    )


def rebuilt_kernel(
    metric: Metric,
    moves: Moves,
    kick: Rebuilding,
    accept: Acceptance,
    layout: tour_layouts.DescentShape,
) -> Kernel:
    """Compose the kernel that runs one chain per team."""
    kernel = moves.kernel(
        "rebuilt_chain",
        metric,
        header=HEADER,
        body=f"gls::RebuiltChain<{{team}}, {{metric}}, {{length}}, {layout.memory}, {{moves}}, "
        f"{kick.functor}, {accept.functor}>",
        parameters=(*PARAMETERS, struct_of(HEADER, "Kicked"), *kick.parameters),
        team=layout.team,
    )
    return replace(
        kernel,
        prepared=not kernel.on_host,
        headers=(*kernel.headers, kick.header, accept.header),
        functors=(*kernel.functors, *sources_of(accept)),
        parts=(*kernel.parts, *kick.parts, accept.name),
    )


class RebuiltChains(PricedChains):
    """Chains in one kernel that kick tours through the `rebuilding` of a perturbation."""

    parts: CandidateMoves

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        parts: CandidateMoves,
        perturbation: Perturbation,
    ) -> None:
        super().__init__(start, accept, patience, parts, len(parts.moves.names))
        backend, problem, (size, n) = start.backend, start.problem, start.tours.shape
        self.kick = kick = perturbation.rebuilding(backend, problem, size)
        layout: tour_layouts.DescentShape = tour_layouts.HostShape.of(n)
        if backend.name != "cpu":
            each = -(-size // backend.processors)
            layout = rebuilt_shape(n, each, backend.shared_memory, parts.needs)
        self._kernel = rebuilt_kernel(search_metric(problem), parts.moves, kick, accept, layout)
        self._shared_bytes, scratch = layout.shared_bytes(n), None
        if not layout.in_shared:
            scratch = backend.xp.empty((size, tour_layouts.tour_bytes(n, 4)), "uint8")
        self._arguments = {
            **parts.arguments,
            **batch_data(backend, problem, size),
            **self.state_arguments,
            "kicked": backend.xp.empty_like(self.tours),
            "ahead": layout.ahead(parts.steps, parts.needs.listed),
            "seed": start.seed,
            "first_row": start.first_row,
            "max_moves": start.max_moves,
            "patience": self.patience,
            "window": 0,
            "scratch": scratch,
        }

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Queue one launch with the current arguments of the kick."""
        self._arguments |= self.kick.arguments
        super().advance(until, heat, cooling, seconds)

    def set_weights(self, price: float) -> None:
        """Set the price of excess load in kicks."""
        objective = self.start.problem.objective
        assert isinstance(objective, Routing)
        self.kick.arguments["price"] = objective.load_weight(price)

    def first_kicks(self) -> int:
        """Return how many kicks each chain makes in the first launch."""
        return chain_layouts.first_kicks(self.start.backend, len(self.tours), SECONDS_PER_KICK)

    def moves_per_look(self) -> int:
        """Return how many moves are evaluated when a chain looks at one city."""
        return self.parts.neighbours
