"""Recombinations that cross pairs with a single kernel; each pair has separate memory."""

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

PAIRS = struct_of("runs/crossovers/pairs.cuh", "TourPairs")


class PairKernel:
    """A kernel that crosses batches of `size` pairs, with `pair_bytes` of memory for each.

    `arguments` has the kernel's arguments except the pairs.
    """

    def __init__(
        self,
        backend: Backend,
        kernel: Kernel,
        layout: ChainShape,
        size: int,
        n: int,
        pair_bytes: int,
        arguments: dict[str, Any],
    ) -> None:
        xp = backend.xp
        self._backend, self._kernel = backend, kernel
        self._shared_bytes = layout.shared_bytes(n)
        self._children = xp.empty((size, n), "int32")
        scratch = None if layout.in_shared else xp.empty((size, pair_bytes), "uint8")
        self._arguments = {**arguments, "children": self._children, "scratch": scratch}

    def cross(self, first: Any, second: Any, partners: Any, generation: int, seconds: float) -> Any:
        """Return one child per pair (P, n), in memory that the next call overwrites."""
        self._children[:] = first
        arguments = {
            **self._arguments,
            "first": first,
            "second": second,
            "partners": partners,
            "generation": generation,
        }
        shared, launch = self._shared_bytes, self._backend.launch
        launch(self._kernel, len(first), arguments, shared_bytes=shared, seconds=seconds)
        return self._children


class PairWorkspace(CostlessWorkspace):
    """The workspace of a kernel that crosses pairs without computing costs.

    `kernel` composes the kernel for a layout. ``own_bytes(n, 4)`` is the number of bytes that a
    pair of tours of n cities needs with four bytes per number. `numbers` has `seed`, `first_row`
    and the other arguments of the kernel.
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
        n = problem.n
        if backend.name == "cpu":
            layout: ChainShape = HostShape.of(n)
        else:
            per_processor = -(-size // backend.processors)
            own = own_bytes(n, 2)
            layout = pair_layouts.pair_shape(n, own, per_processor, backend.shared_memory)
        self.backend, self.problem = backend, problem
        arguments = {**numbers, "n": n, "metric_data": metric_data(backend, problem)}
        self._pairs = PairKernel(
            backend, kernel(layout), layout, size, n, own_bytes(n, 4), arguments
        )

    def made(self, first: Any, second: Any, partners: Any, generation: int, seconds: float) -> Any:
        return self._pairs.cross(first, second, partners, generation, seconds)


@dataclass(frozen=True)
class PairRecombination(Recombination):
    """A recombination with a single kernel; pairs are in shared memory if they fit.

    ``gls::CrossPairs`` calls the functor, whose header has the functor's name in snake case.

    Attributes
    ----------
    functor : str
        C++ template of the crossover.
    folder : str
        Folder, within the package, of the header.
    parameters : str
        Parameters of the crossover in addition to n, in C syntax; `numbers` returns their values.
    """

    functor: ClassVar[str]
    folder: ClassVar[str] = "tours/crossovers"
    parameters: ClassVar[str] = ""

    @abstractmethod
    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return how many bytes the functor needs per pair, with `city_bytes` per number."""

    def numbers(self, n: int) -> dict[str, int]:
        """Return the values of `parameters` for tours of n cities."""
        return {}

    def bytes_per_tour(self, n: int) -> int:
        """Return how many bytes of device memory a pair needs, with its child and cost."""
        return 4 * n + 32 + self.pair_bytes(n, 4)

    def kernel(self, metric: Metric, layout: ChainShape) -> Kernel:
        """Compose the kernel that crosses one pair per team."""
        return Kernel(
            name=self.name,
            header=f"{self.folder}/{snake_case(self.functor.removeprefix('gls::'))}.cuh",
            headers=("tours/kernels/tour_memory.cuh",),
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
        kernel = partial(self.kernel, problem.metric)
        numbers = {"seed": seed, "first_row": first_row, **self.numbers(problem.n)}
        return PairWorkspace(backend, problem, size, kernel, self.pair_bytes, numbers)
