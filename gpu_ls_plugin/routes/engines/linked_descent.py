"""Engine of local search on linked lists of routes, with one warp per giant tour."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.routes.kernels.linked_layouts import row_bytes, segment_bytes
from gpu_ls_plugin.routes.kernels.linked_rows import LinkedRows
from gpu_ls_plugin.routes.moves.between_routes import BetweenRoutes, RouteMoves, SwapStar
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.candidates.nearest import All
from gpu_ls_plugin.tours.engines.descent.city_descent import look_bits
from gpu_ls_plugin.tours.engines.descent.descent_layouts import looks_of_a_launch
from gpu_ls_plugin.tours.engines.engine import PersistentEngine
from gpu_ls_plugin.tours.engines.engines import of_composed
from gpu_ls_plugin.tours.engines.pivoting import First
from gpu_ls_plugin.tours.engines.services import EngineFactory, Service
from gpu_ls_plugin.tours.problem.device_data import batch_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.routes.kernels.linked_rows import LinkedTypes
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.engines.services import Memory, Parameters
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "routes/engines/linked_descent.cuh"
OWN = (
    struct_of("tours/engines/descent/descent_batch.cuh", "DescentBatch"),
    struct_of(HEADER, "LinkedTours"),
)
# Neighbourhoods that may follow `RouteMoves()`, with their functors.
FURTHER: dict[type[Neighbourhood], str] = {SwapStar: "gls::RouteSwapStar"}


def descent_kernel(types: LinkedTypes, neighbourhoods: Sequence[Neighbourhood]) -> Kernel:
    """Compose the kernel that runs one descent per team."""
    further = [FURTHER[type(part)] for part in neighbourhoods[1:]]
    kernel = types.kernel(HEADER, "LinkedDescent", own=OWN, more=further)
    return replace(kernel, parts=(*kernel.parts, *(part.name for part in neighbourhoods)))


class LinkedDescent(PersistentEngine):
    """A batch of descents in progress; each pass looks at one customer and the nodes `near` it.

    A descent ends after `max_moves` moves.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        neighbourhoods: Sequence[Neighbourhood],
        near: Candidates,
        max_moves: int,
    ) -> None:
        kinds = len(neighbourhoods)
        super().__init__(backend, problem, tours, kinds)
        routes, xp, size = routing_problem(problem), backend.xp, len(tours)
        # This attribute keeps the vehicles' arrays alive, since kernels have only their addresses.
        self._rows = rows = LinkedRows(
            backend, routes, problem, size, near, kinds=kinds, uneven=True
        )
        self._kernel = descent_kernel(rows.types, neighbourhoods)
        self._neighbourhoods, self._shared_bytes = neighbourhoods, rows.shared_bytes
        words = -(-problem.n // 32)
        # Bits made on the host need no kernels of CuPy.
        customers = np.zeros((1, problem.n), np.bool_)
        customers[:, 1 : routes.customers + 1] = True
        looks = np.zeros((size, kinds * words), np.uint32)
        looks[:, :words] = look_bits(np, customers)
        self._customers = xp.asarray(customers)
        self._arguments: dict[str, Any] = {
            **rows.arguments,
            **batch_data(backend, problem, size),
            **self.arrays,
            "max_moves": max_moves,
            "looks": xp.asarray(looks),
            "sweeps": xp.zeros(size, "int32"),
        }
        self._waits = self._arguments["looks"][:, :words]

    def look_at(self, cities: Any) -> None:
        """Set which customers of each tour to look at first; `cities` is bool (P, n)."""
        self._waits[...] = look_bits(self.backend.xp, cities & self._customers)

    @staticmethod
    def bytes_per_tour(problem: TSP, kinds: int) -> int:
        """Return the device memory in bytes of one tour with `kinds` neighbourhoods."""
        routes = routing_problem(problem)
        return row_bytes(routes, 4, kinds) + segment_bytes(routes) + 8 * problem.n + 64

    def first_passes(self) -> int:
        return looks_of_a_launch(self.backend, len(self.tours))

    def moves_per_evaluation(self) -> int:
        degree, symmetric = int(self._arguments["near_each"]), self.problem.symmetric
        return sum(part.variants(degree, symmetric) for part in self._neighbourhoods)


def _serves(search: Parameters) -> bool:
    """Return whether a search has lists and `RouteMoves()`, alone or before `SwapStar()`."""
    first, *others = map(type, search.neighbourhoods)
    known = first is RouteMoves and len(others) == len(FURTHER.keys() & others)
    return known and not isinstance(search.candidates, All)


def _nodes(problem: TSP) -> TSP:
    """Return the TSP of the depot and the customers; all giant tours share its candidate lists."""
    return routing_problem(problem).nodes


def prepare(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Return a factory of descents on linked lists of routes."""
    return EngineFactory(
        lambda tours, _, most: LinkedDescent(
            backend, problem, tours, search.neighbourhoods, search.candidates, most
        ),
        LinkedDescent.bytes_per_tour(problem, len(search.neighbourhoods)),
    )


SERVICE = Service(
    (First,),
    _serves,
    prepare,
    of_composed,
    _nodes,
    alone=BetweenRoutes,
    refusal="neighbourhoods: RouteMoves() must be alone or before SwapStar(), with First() on "
    "lists such as Nearest(20), not {moves} with {rule!r} on {candidates!r}",
)
