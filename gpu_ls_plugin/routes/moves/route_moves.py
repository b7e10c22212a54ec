"""Moves of routes that are linked lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.routes.kernels.linked_rows import refusal
from gpu_ls_plugin.routes.moves.between_routes import BetweenRoutes
from gpu_ls_plugin.routes.problem.cvrp import routing_problem

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import TSP

BESIDE, DIRECTED = 14, 8  # moves next to another customer, and those that reverse nothing


@dataclass(frozen=True)
class RouteMoves(BetweenRoutes):
    """Relocations of one and two customers, swaps, 2-opt and 2-opt*, on linked lists of routes.

    A customer moves next to one of its candidates. Each move is evaluated in constant time,
    including load and duration, and several times as fast as the same move on tours as arrays:
    use it for the many children of a generation. A customer without an improving move may begin a
    route. The moves need `First()`, alone or before `SwapStar()`. Chains of `StringRemoval` repair
    by the same moves, but never begin a route.
    """

    name = "route_moves"
    header = "routes/moves/route_moves.cuh"
    alone = True

    def functor(self, symmetric: bool) -> str:
        """Raise InvalidParameterError: no other engine has these moves."""
        raise InvalidParameterError(
            "neighbourhoods: RouteMoves() is searched with First() on candidate lists, alone or "
            "before SwapStar()"
        )

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return how many moves a customer with `degree` candidates has."""
        return degree * (BESIDE if symmetric else DIRECTED)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if routes cannot be searched as linked lists."""
        super().check(problem)
        if reason := refusal(routing_problem(problem)):
            raise UnsupportedProblemError(
                f"problem: route_moves {reason}; use Relocate(), Exchange() and TwoOptStar()"
            )
