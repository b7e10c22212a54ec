"""Engine of local search on linked lists of routes: one warp per giant tour."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.neighbourhoods import RouteMoves
from gpu_ls_plugin.perturbations.linked_rows import LinkedRows, linked_kernel, row_bytes
from gpu_ls_plugin.problems.cvrp import routing_problem
from gpu_ls_plugin.searches.descent.descent_layouts import SECONDS_PER_LOOK
from gpu_ls_plugin.searches.engine import PersistentEngine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.candidates import Candidates
    from gpu_ls_plugin.problems.cvrp import CVRP
    from gpu_ls_plugin.problems.tsp import TSP

HEADER = "searches/descent/linked_descent.cuh"
OWN = (
    struct_of("searches/descent/descent_batch.cuh", "DescentBatch"),
    struct_of(HEADER, "LinkedTours"),
)


def descent_kernel(*types: Any) -> Kernel:
    """Compose the search of one tour per team, of `LinkedRows.types`."""
    kernel = linked_kernel(HEADER, "LinkedDescent", *types, own=OWN)
    return replace(kernel, parts=(*kernel.parts, RouteMoves.name))


def every_customer(problem: CVRP) -> NDArray[np.uint32]:
    """Return the bits of gls::LookBits with all customers to be looked at."""
    words = -(-problem.n // 32)
    customers = np.arange(1, problem.customers + 1)
    bits = np.zeros(words, np.uint32)
    np.bitwise_or.at(bits, customers % words, np.uint32(1) << (customers // words).astype("uint32"))
    return bits


class LinkedDescent(PersistentEngine):
    """A batch of descents in progress on a backend; a pass is a look at a customer.

    Parameters
    ----------
    backend, problem, tours
        As for every engine.
    near : Candidates
        Customers next to whom one may go.
    max_moves : int
        Moves after which a tour stops.
    """

    def __init__(
        self, backend: Backend, problem: TSP, tours: Any, near: Candidates, max_moves: int
    ) -> None:
        super().__init__(backend, problem, tours)
        routes, xp, size = routing_problem(problem), backend.xp, len(tours)
        # Kept: kernels know the vehicles' arrays by their addresses.
        self._rows = rows = LinkedRows(backend, routes, problem, size, near)
        self._kernel, self._shared_bytes = descent_kernel(*rows.types), rows.shared_bytes
        self._arguments: dict[str, Any] = {
            **rows.arguments,
            **backend.batch_data(problem, size),
            **self.arrays,
            "max_moves": max_moves,
            "looks": xp.asarray(np.tile(every_customer(routes), (size, 1))),
            "sweeps": xp.zeros(size, "int32"),
        }

    @staticmethod
    def bytes_per_tour(problem: TSP) -> int:
        """Return the device memory of one tour in bytes."""
        return row_bytes(routing_problem(problem), 4) + 8 * problem.n + 64

    def first_passes(self) -> int:
        """Return a number of looks that surely takes less than a launch should."""
        share = -(-len(self.tours) // self.backend.processors)
        return max(1, int(tuning.LAUNCH_SECONDS / (SECONDS_PER_LOOK[self.backend.name] * share)))

    def moves_per_evaluation(self) -> int:
        """Return how many moves looking at one customer stands for."""
        degree = int(self._arguments["near_each"])
        return RouteMoves().variants(degree, self.problem.symmetric)
