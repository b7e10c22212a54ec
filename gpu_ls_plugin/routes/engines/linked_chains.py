"""Chains of one kernel whose kicks and repairs change linked lists of routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.routes.engines.priced_chains import PricedChains
from gpu_ls_plugin.routes.engines.string_kernel import string_kernel
from gpu_ls_plugin.routes.kernels.linked_rows import LinkedRows
from gpu_ls_plugin.routes.moves.route_moves import RouteMoves
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.problem.device_data import batch_data

if TYPE_CHECKING:
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.engines.chains.start import Start

LOOKS = 1000  # at customers after a kick, at most: sums of real numbers might go in circles
FIRST_KICKS = {"cuda": 50, "cpu": 200}  # that surely take less than a launch should


class LinkedChains(PricedChains):
    """Chains of one kernel: kick, repair, accept or go back, on linked lists of routes.

    `ruin` has the arguments of gls::StringRuin, and `neighbourhoods` is the number of those by
    which the descent before the chains counts moves.
    """

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        ruin: dict[str, Any],
        neighbourhoods: int,
    ) -> None:
        super().__init__(start, accept, patience, neighbourhoods=neighbourhoods)
        problem = routing_problem(start.problem)
        self._rows = rows = LinkedRows(start.backend, problem, start.problem, len(start.tours))
        self._kernel = string_kernel(accept, *rows.types)
        self._arguments: dict[str, Any] = {
            **rows.arguments,
            **rows.of_chains(LOOKS),
            **batch_data(start.backend, start.problem, len(start.tours)),  # for new prices
            **self.state_arguments,
            **ruin,
            "seed": start.seed,
            "first_row": start.first_row,
            "max_moves": start.max_moves,
            "patience": self.patience,
        }

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Queue one launch."""
        self.start.backend.launch(
            self._kernel,
            len(self.tours),
            {**self._arguments, "until": until, "heat": heat, "cooling": cooling},
            shared_bytes=self._rows.shared_bytes,
            seconds=seconds,
        )

    def set_weights(self, price: float) -> None:
        """Let kicks and repairs know a price."""
        objective, weights = self.start.problem.objective, self._arguments["weights"]
        assert isinstance(objective, Routing)
        priced = self.start.backend.xp.asarray(objective.weights(price).view(weights.dtype))
        weights[: len(priced)] = priced

    def first_kicks(self) -> int:
        """Return a number of kicks that surely takes less than a launch should."""
        return FIRST_KICKS[self.start.backend.name]

    def moves_per_look(self) -> int:
        """Return how many moves looking at one customer stands for."""
        return RouteMoves().variants(int(self._arguments["near_each"]), True)
