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
    """A neighbourhood whose moves change the routes of giant tours."""

    reverses = False

    @property
    def deep(self) -> bool:
        """True: a move exchanges four or more edges."""
        return True

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if the tours have no routes."""
        super().check(problem)
        if not isinstance(problem.objective, Routing):
            raise UnsupportedProblemError(
                f"problem: {self.name} changes routes, but tours of {problem!r} have no routes; "
                "use it on a CVRP"
            )


@dataclass(frozen=True)
class TwoOptStar(BetweenRoutes):
    """Exchange the ends of two routes.

    The other form of 2-opt* joins the beginnings of both routes, and their ends; it is `TwoOpt` on
    the giant tour.
    """

    name = "two_opt_star"
    header = "routes/moves/two_opt_star_move.cuh"

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return "gls::TwoOptStarMove"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 1: the first step determines the move."""
        return 1


@dataclass(frozen=True)
class SwapStar(BetweenRoutes):
    """Exchange two customers between two routes; each goes to the best place in the other route.

    A customer is exchanged for a candidate in another route, or for a neighbour of the candidate
    there. Each customer goes to the cheapest of these places in the other route: next to one of its
    candidates, first or last, or where the other customer was.

    Vidal (2022) examines all pairs of customers of routes whose sectors overlap, and keeps the
    three cheapest places of each customer in each route between moves. This neighbourhood keeps no
    places, and the work for a pair does not depend on the length of the routes.
    """

    name = "swap_star"
    header = "routes/moves/swap_star_move.cuh"

    @property
    def chooses(self) -> bool:
        """True: a move chooses the places of both customers."""
        return True

    def functor(self, symmetric: bool) -> str:
        """Return the C++ type of the moves at a city."""
        return f"gls::SwapStarMove<{str(symmetric).lower()}>"

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return 3: a candidate and its two neighbours."""
        return 3


@dataclass(frozen=True)
class RouteMoves(BetweenRoutes):
    """Relocations of one and two customers, swaps, 2-opt and 2-opt*, on linked lists of routes.

    A customer moves next to one of its candidates. Each move is evaluated in constant time,
    including loads and durations. The search is several times as fast as on tours stored as arrays,
    which suits the many children of a generation. A customer without an improving move may begin a
    new route. The search must use `First()`; only `SwapStar()` may follow this neighbourhood.
    Chains with `StringRemoval` repair with the same moves, but begin no routes.
    """

    name = "route_moves"
    header = "routes/moves/route_moves.cuh"
    alone = True

    def functor(self, symmetric: bool) -> str:
        """Raise InvalidParameterError: only the engine on linked lists has these moves."""
        raise InvalidParameterError(
            "neighbourhoods: RouteMoves() needs First() on candidate lists, alone or before "
            "SwapStar()"
        )

    def variants(self, degree: int, symmetric: bool) -> int:
        """Return how many moves a customer with `degree` candidates has."""
        return degree * (BESIDE if symmetric else DIRECTED)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if routes cannot be searched as linked lists."""
        super().check(problem)
        check_total_demand(routing_problem(problem))
