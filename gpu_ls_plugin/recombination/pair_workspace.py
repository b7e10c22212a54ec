"""Crossovers of pairs whose work is one kernel: how it is laid out, launched and measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.recombination import pair_layouts
from gpu_ls_plugin.recombination.workspace import CostlessWorkspace
from gpu_ls_plugin.tours.tour_layouts import HostShape

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.tours.tour_layouts import ChainShape

PAIRS = struct_of("recombination/pairs.cuh", "TourPairs")


class PairWorkspace(CostlessWorkspace):
    """A kernel that crosses pairs, for batches of one size.

    `kernel` composes it in a layout, ``own_bytes(n, 4)`` is the memory of a pair with n cities
    whose numbers take four bytes, and `numbers` are its arguments: `seed`, `first_row`, and what
    else it takes.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        size: int,
        kernel: Callable[[ChainShape], Kernel],
        own_bytes: Callable[[int, int], int],
        numbers: dict[str, Any],
    ) -> None:
        n, xp = problem.n, backend.xp
        if backend.name == "cpu":
            layout: ChainShape = HostShape.of(n)
        else:
            per_processor = -(-size // backend.processors)
            own = own_bytes(n, 2)
            layout = pair_layouts.pair_shape(n, own, per_processor, backend.shared_memory)
        self.backend, self.problem, self._kernel = backend, problem, kernel(layout)
        self._shared_bytes, scratch = layout.shared_bytes(n), None
        if not layout.in_shared:
            scratch = xp.empty((size, own_bytes(n, 4)), "uint8")
        self._children = xp.empty((size, n), "int32")
        self._arguments: dict[str, Any] = {
            **numbers,
            "n": n,
            "metric_data": backend.metric_data(problem),
            "children": self._children,
            "scratch": scratch,
        }

    def made(self, first: Any, second: Any, partners: Any, generation: int, seconds: float) -> Any:
        """Return what `cross` does, without costs."""
        self._children[:] = first
        arguments = {
            **self._arguments,
            "first": first,
            "second": second,
            "partners": partners,
            "generation": generation,
        }
        launch = self.backend.launch
        shared = self._shared_bytes
        launch(self._kernel, len(first), arguments, shared_bytes=shared, seconds=seconds)
        return self._children
