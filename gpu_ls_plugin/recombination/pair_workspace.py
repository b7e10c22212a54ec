"""Crossovers of pairs whose work is one kernel: how it is laid out, launched and measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.evaluation import tour_costs
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.backends.tuning import LARGEST_SHORT
from gpu_ls_plugin.recombination.workspace import Workspace
from gpu_ls_plugin.tours.tour_layouts import ONE_BLOCK, ChainShape, HostShape, first_fitting

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.problems.tsp import TSP

PAIRS = struct_of("recombination/pairs.cuh", "TourPairs")
LARGE_WARPS = 8  # of a block whose pairs lie in global memory


@dataclass(frozen=True)
class PairShape(ChainShape):
    """How pairs in shared memory are laid out, of which each takes `own` bytes."""

    own: int = 0

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        return self.teams * self.own


def pair_shape(n: int, own: int, pairs: int, shared_memory: int) -> ChainShape:
    """Return who holds a pair: a warp, beside as many as fit or as a multiprocessor has pairs."""
    layouts = [(warps, blocks) for warps, blocks in ONE_BLOCK if warps <= max(1, pairs)]
    fitting = first_fitting(layouts, own, shared_memory)
    if fitting is None or n > LARGEST_SHORT:
        return ChainShape(f"gls::Warp<{LARGE_WARPS}>", 32, LARGE_WARPS, False, False)
    warps, blocks, _ = fitting
    return PairShape(f"gls::Warp<{warps}>", 32, warps, True, False, blocks, own=own)


class PairWorkspace(Workspace):
    """A kernel that crosses pairs, for batches of one size.

    Parameters
    ----------
    backend : Backend
    problem : TSP
    size : int
        Number of pairs.
    kernel : callable
        Composes the kernel in a layout.
    own_bytes : callable
        Memory of a pair with n cities whose numbers take so many bytes: ``own_bytes(n, 4)``.
    numbers : dict
        Arguments of the kernel: `seed`, `first_row`.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        size: int,
        kernel: Callable[[ChainShape], Kernel],
        own_bytes: Callable[[int, int], int],
        numbers: dict[str, int],
    ) -> None:
        n, xp = problem.n, backend.xp
        if backend.name == "cpu":
            layout: ChainShape = HostShape.of(n)
        else:
            per_processor = -(-size // backend.processors)
            layout = pair_shape(n, own_bytes(n, 2), per_processor, backend.shared_memory)
        self._backend, self._problem, self._kernel = backend, problem, kernel(layout)
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

    def cross(
        self,
        first: Any,
        costs: Any,
        second: Any,
        partners: Any,
        *,
        generation: int = 0,
        seconds: float = math.inf,
    ) -> tuple[Any, Any]:
        """Return one child for each pair of tours, and what it costs."""
        self._children[:] = first
        arguments = {
            **self._arguments,
            "first": first,
            "second": second,
            "partners": partners,
            "generation": generation,
        }
        launch = self._backend.launch
        shared = self._shared_bytes
        launch(self._kernel, len(first), arguments, shared_bytes=shared, seconds=seconds)
        return self._children, tour_costs(self._backend, self._problem, self._children)
