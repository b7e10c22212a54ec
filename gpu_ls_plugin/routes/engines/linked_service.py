"""Which searches the engine on linked lists of routes serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.engines import linked_descent
from gpu_ls_plugin.routes.engines.linked_descent import LinkedDescent
from gpu_ls_plugin.routes.moves.route_moves import RouteMoves
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.candidates.nearest import All
from gpu_ls_plugin.tours.engines.engines import of_composed
from gpu_ls_plugin.tours.engines.pivoting import First
from gpu_ls_plugin.tours.engines.services import EngineFactory, Service

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.engines.services import Memory, Parameters
    from gpu_ls_plugin.tours.problem.tsp import TSP


def _on_lists(search: Parameters) -> bool:
    return linked_descent.serves(search.neighbourhoods) and not isinstance(search.candidates, All)


def _nodes(problem: TSP) -> TSP:
    """Return depot and customers, whose lists serve giant tours of all copies and prices."""
    return routing_problem(problem).nodes


def prepare(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Serve moves on linked lists of routes."""
    return EngineFactory(
        lambda tours, _, most: LinkedDescent(
            backend, problem, tours, search.neighbourhoods, search.candidates, most
        ),
        LinkedDescent.bytes_per_tour(problem, len(search.neighbourhoods)),
    )


SERVICE = Service(
    (First,),
    _on_lists,
    prepare,
    of_composed,
    _nodes,
    alone=RouteMoves,
    refusal="neighbourhoods: RouteMoves() is searched alone or before SwapStar(), with First() on "
    "lists such as Nearest(20), not {moves} with {rule!r} on {candidates!r}",
)
