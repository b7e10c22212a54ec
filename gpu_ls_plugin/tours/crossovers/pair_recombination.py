"""Recombinations that are one kernel, which makes the child of a pair in memory of its own."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.text import snake_case
from gpu_ls_plugin.tours.crossovers import pair_layouts
from gpu_ls_plugin.tours.crossovers.base import Recombination
from gpu_ls_plugin.tours.crossovers.workspace import CostlessWorkspace
from gpu_ls_plugin.tours.kernels.tour_layouts import HostShape
from gpu_ls_plugin.tours.problem.device_data import metric_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

PAIRS = struct_of("tours/crossovers/pairs.cuh", "TourPairs")


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
            "metric_data": metric_data(backend, problem),
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


@dataclass(frozen=True)
class PairRecombination(Recombination):
    """A kernel that crosses pairs, which lie in shared memory where they fit.

    Its functor, in ``tours/crossovers/<name>.cuh``, is one that gls::CrossPairs takes.

    Attributes
    ----------
    functor : str
        C++ template of the crossover.
    parameters : str
        What it takes besides the number of cities, as in C; `numbers` has the arguments.
    """

    functor: ClassVar[str]
    parameters: ClassVar[str] = ""

    @abstractmethod
    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair, as the functor has it, with numbers of so many bytes."""

    def numbers(self, n: int) -> dict[str, int]:
        """Return the arguments of `parameters`."""
        return {}

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one pair in bytes: its own, the child and its cost."""
        return 4 * n + 32 + self.pair_bytes(n, 4)

    def kernel(self, metric: Metric, layout: ChainShape) -> Kernel:
        """Compose the crossover of one pair per team."""
        return Kernel(
            name=self.name,
            header=f"tours/crossovers/{snake_case(self.functor.removeprefix('gls::'))}.cuh",
            body=f"gls::CrossPairs<{layout.team}, {layout.memory}, {self.functor}>",
            parameters=(*parse_parameters("int n"), PAIRS, *parse_parameters(self.parameters)),
            team=layout.team,
            parts=(self.name,),
        )

    def workspace(
        self,
        backend: Backend,
        problem: TSP,
        size: int,
        *,
        seed: int,
        first_row: int = 0,
        parts: CandidateMoves | None = None,
    ) -> PairWorkspace:
        """Return the kernel and memory for batches of `size` pairs."""
        kernel = partial(self.kernel, problem.metric)
        numbers = {"seed": seed, "first_row": first_row, **self.numbers(problem.n)}
        return PairWorkspace(backend, problem, size, kernel, self.pair_bytes, numbers)
