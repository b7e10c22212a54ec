"""Neighbourhoods whose moves change routes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.routes.kernels.linked_rows import check_total_demand
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.moves.base import Neighbourhood

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import TSP

# Number of moves of RouteMoves per candidate: in all, and without those that reverse parts.
BESIDE, DIRECTED = 14, 8


class BetweenRoutes(Neighbourhood):
    """A neighbourhood of moves on linked lists of routes, which have a separate engine."""

    reverses = False
    alone = True

    def functor(self, symmetric: bool) -> str:
        """Raise InvalidParameterError: only the engine on linked lists has these moves."""
        raise InvalidParameterError(
            f"neighbourhoods: {self!r} needs First() on candidate lists; RouteMoves() is searched "
            "alone or before SwapStar()"
        )

    def check(self, problem: TSP) -> None:
        super().check(problem)
        if not isinstance(problem.objective, Routing):
            raise UnsupportedProblemError(
                f"problem: {self.name} changes routes, but tours of {problem!r} have no routes; "
                "use it on a CVRP"
            )


@dataclass(frozen=True)
class SwapStar(BetweenRoutes):
    """Exchange two customers between two routes; each goes to the best place in the other route.

    This is SWAP* (Vidal 2022). The neighbourhood must follow `RouteMoves()`, and is tried for each
    customer without another improving move. It exchanges the customer for a candidate in another
    route, or for a neighbour of that candidate, whereas Vidal examines all pairs of customers of
    routes whose sectors overlap.
    """

    name = "swap_star"
    header = "routes/moves/route_swap_star.cuh"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 3: a candidate and its two neighbours."""
        return 3


@dataclass(frozen=True)
class RouteMoves(BetweenRoutes):
    """Relocations of one and two customers, swaps, 2-opt and 2-opt*, on linked lists of routes.

    Each move puts a customer next to one of its candidates (Vidal 2022). The evaluation of a move,
    including loads and durations, takes constant time. The search is several times as fast as on
    tours stored as arrays, which suits the many children of a generation. A customer without an
    improving move may begin a new route. The search must use `First()`; only `SwapStar()` may
    follow this neighbourhood. Chains with `StringRemoval` repair with the same moves, but begin no
    routes.
    """

    name = "route_moves"
    header = "routes/moves/route_moves.cuh"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return how many moves a customer with `degree` candidates has."""
        return degree * (BESIDE if symmetric else DIRECTED)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if routes cannot be searched as linked lists."""
        super().check(problem)
        check_total_demand(routing_problem(problem))
