"""Engine of local search on linked lists of routes: one warp per giant tour."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.neighbourhoods import RouteMoves
from gpu_ls_plugin.perturbations.linked_rows import LinkedRows, linked_kernel, row_bytes
from gpu_ls_plugin.problems.cvrp import routing_problem
from gpu_ls_plugin.searches.descent.descent_layouts import looks_of_a_launch
from gpu_ls_plugin.searches.descent.look_bits import look_bits
from gpu_ls_plugin.searches.engine import PersistentEngine

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.candidates import Candidates
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
        waits = look_bits(np.arange(1, routes.customers + 1), problem.n)
        self._arguments: dict[str, Any] = {
            **rows.arguments,
            **backend.batch_data(problem, size),
            **self.arrays,
            "max_moves": max_moves,
            "looks": xp.asarray(np.tile(waits, (size, 1))),
            "sweeps": xp.zeros(size, "int32"),
        }

    @staticmethod
    def bytes_per_tour(problem: TSP) -> int:
        """Return the device memory of one tour in bytes."""
        return row_bytes(routing_problem(problem), 4) + 8 * problem.n + 64

    def first_passes(self) -> int:
        """Return a number of looks that surely takes less than a launch should."""
        return looks_of_a_launch(self.backend, len(self.tours))

    def moves_per_evaluation(self) -> int:
        """Return how many moves looking at one customer stands for."""
        degree = int(self._arguments["near_each"])
        return RouteMoves().variants(degree, self.problem.symmetric)
