"""Selective route exchange of given pairs (Nagata and Bräysy 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.composition import parse_parameters
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.routes.construction.batch import routes_kernel
from gpu_ls_plugin.routes.crossovers.route_exchange import MOST_ROUTES
from gpu_ls_plugin.routes.crossovers.route_recombination import RouteRecombination, RouteWorkspace
from gpu_ls_plugin.routes.kernels.rebuilt_routes import (
    MEMORY,
    NEAR_NODES,
    OPTION_WORDS,
    rebuilt_arguments,
)
from gpu_ls_plugin.tours.crossovers.pair_recombination import PAIRS

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "routes/crossovers/selective_route_exchange.cuh"
PARAMETERS = (
    *parse_parameters("int n"),
    PAIRS,
    NEAR_NODES,
    MEMORY,
    struct_of(HEADER, "ExchangedShare"),
    *parse_parameters("int* orders, unsigned char* begins"),
)
BYTES_PER_CITY = 80  # of a pair: routes, who waits with its options, orders and the child


@dataclass(frozen=True)
class SelectiveRouteExchange(RouteRecombination):
    """Let the first parent take over routes of the second that resemble its own.

    Some routes of the second parent, around a customer from which the parents go on to different
    nodes, replace those routes of the first that they have most customers in common with (SREX;
    Nagata and Bräysy 2010). Customers that come along leave their routes, or, in half of the pairs,
    those that are elsewhere stay there; whoever has lost its place is inserted by regret, within
    load and duration where constraints are hard. Routes that nothing is exchanged with stay what
    they are. `RouteExchange` does the same within the kicks of chains.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges of a population; more than 0.
    generations : int
        Of each exchange.
    routes : int
        Most routes that are exchanged, 1 to 8.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    routes: int = 4

    name = "selective_route_exchange"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.integer, "routes", least=1, most=MOST_ROUTES)

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one pair in bytes."""
        return (BYTES_PER_CITY + 8 * OPTION_WORDS) * n

    def workspace(
        self,
        backend: Backend,
        problem: TSP,
        size: int,
        *,
        seed: int,
        first_row: int = 0,
        parts: CandidateMoves | None = None,
    ) -> RouteWorkspace:
        """Return the kernel and memory for batches of `size` pairs."""
        return _ExchangeWorkspace(self, backend, problem, size, seed, first_row)


def exchange_kernel(metric: Metric, team: str, time: str) -> Kernel:
    """Compose the kernel that exchanges routes of pairs."""
    return routes_kernel(
        SelectiveRouteExchange.name,
        metric,
        header=HEADER,
        body="gls::SelectiveRouteExchange<{team}, {vehicles}>",
        parameters=PARAMETERS,
        team=team,
        time=time,
    )


class _ExchangeWorkspace(RouteWorkspace):
    """The kernel, and memory for its routes."""

    def __init__(
        self,
        part: SelectiveRouteExchange,
        backend: Backend,
        problem: TSP,
        size: int,
        seed: int,
        first_row: int,
    ) -> None:
        super().__init__(backend, problem, size)
        routes, customers = self.routes, self.routes.problem.customers
        self._kernel = exchange_kernel(routes.problem.nodes.metric, backend.warp(), routes.time)
        self._arguments: dict[str, Any] = {
            **rebuilt_arguments(routes, room=customers),
            "n": problem.n,
            "seed": seed,
            "first_row": first_row,
            "children": None,
            "scratch": None,
            "most": part.routes,
            "places": routes.numbers("int32", customers + 1),
            "shared": routes.numbers("int32", customers + 1),
        }

    def fill(self, first: Any, second: Any, partners: Any, generation: int, seconds: float) -> None:
        """Exchange routes."""
        pairs = {"first": first, "second": second, "partners": partners, "generation": generation}
        routes = {"orders": self.routes.orders, "begins": self.routes.begins}
        arguments = {**self.routes.vehicles, **routes, **self._arguments, **pairs}
        self.backend.launch(self._kernel, len(first), arguments, seconds=seconds)
