"""Edge assembly crossover (Nagata and Kobayashi 2013), localised."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.crossovers import assembly_layouts
from gpu_ls_plugin.tours.crossovers.assembly_layouts import SINGLE, STRATEGIES
from gpu_ls_plugin.tours.crossovers.base import Recombination
from gpu_ls_plugin.tours.crossovers.workspace import Workspace
from gpu_ls_plugin.tours.kernels.sites import metric_type
from gpu_ls_plugin.tours.moves import composed
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.crossovers.assembly_layouts import Strategy
    from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

STAGED = "staged"
CANDIDATES = Nearest(8)  # by which subtours are joined, where a search has no lists
PARAMETERS = (*composed.PARAMETERS, struct_of("tours/crossovers/edge_assembly.cuh", "Pairs"))


@dataclass(frozen=True)
class EdgeAssembly(Recombination):
    """Let a tour take over from another one what makes it shorter.

    Edge assembly crossover (Nagata and Kobayashi 2013): the edges in which two tours differ fall
    into AB-cycles; the first tour takes over each that makes it cheaper, one after the other, so
    that the child never costs more than it. As the cooperation of a few hundred chains it is far
    stronger than kicks alone, most of all if they start at random.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges of a population; more than 0.
    generations : int
        Of each exchange.
    offspring : int
        Of a pair, at most: exchanges that are tried.
    strategy : {"single", "block", "staged"}
        What is exchanged: one AB-cycle after the other, or blocks of them, the largest cycles
        first, each with those smaller ones that share cities with it and leave the tour in fewer
        subtours, or in as many and shorter. Blocks take longer, and are for populations in which
        single cycles gain nothing more. Staged are single cycles that blocks take the place of
        in a population in which few tours gain (of given pairs, single cycles).

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number, or no strategy has that name.
    """

    offspring: int = 32
    strategy: str = "single"

    name = "edge_assembly"
    never_worse = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.integer, "offspring", least=1, most=checks.MOST_INT)
        checks.fields(self, checks.choice, "strategy", known=(*STRATEGIES, STAGED))

    @property
    def later(self) -> EdgeAssembly:
        """What takes its place in a population in which it gains for few tours."""
        return replace(self, strategy="block") if self.strategy == STAGED else self

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one pair in bytes: child, cost, and who crosses."""
        own = 4 * n + 32 + assembly_layouts.assembly_bytes(n, 4, self._exchanged)
        return own if self.later is self else own + self.later.bytes_per_tour(n)

    def workspace(
        self,
        backend: Backend,
        problem: TSP,
        size: int,
        *,
        seed: int,
        first_row: int = 0,
        parts: CandidateMoves | None = None,
    ) -> Workspace:
        """Return kernels and memory for batches of `size` pairs."""
        if parts is None:

            def make() -> CandidateMoves:
                return CandidateMoves(backend, problem, [TwoOpt()], CANDIDATES)

            parts = backend.made_once(problem, "edge assembly", make)
        numbers = {"seed": seed, "first_row": first_row, "offspring": self.offspring}
        return AssemblyWorkspace(backend, problem, parts, size, numbers, self._exchanged)

    @property
    def _exchanged(self) -> Strategy:
        return SINGLE if self.strategy == STAGED else STRATEGIES[self.strategy]


def assembly_kernel(
    metric: Metric, length: str, grid: str, layout: ChainShape, strategy: Strategy = SINGLE
) -> Kernel:
    """Compose the crossover of one pair per team."""
    parts = f"{metric_type(metric, grid)}, {length}, {layout.memory}, {strategy.functor}"
    kernel = metric_kernel(
        "edge_assembly",
        metric,
        header="tours/crossovers/edge_assembly.cuh",
        body=f"gls::EdgeAssembly<{{team}}, {parts}>",
        parameters=PARAMETERS,
        team=layout.team,
    )
    return replace(kernel, headers=(*kernel.headers, strategy.header))


class AssemblyWorkspace(Workspace):
    """Kernels and memory of edge assembly, for batches of `size` pairs of a symmetric problem.

    `numbers` are the kernel's arguments `seed`, `first_row` and `offspring`.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        parts: CandidateMoves,
        size: int,
        numbers: dict[str, int],
        strategy: Strategy = SINGLE,
    ) -> None:
        n, xp = problem.n, backend.xp
        if backend.name == "cpu":
            layout: ChainShape = assembly_layouts.host_shape(n)
        else:
            per_processor = -(-size // backend.processors)
            room = backend.shared_memory
            layout = assembly_layouts.assembly_shape(n, per_processor, room, strategy)
        self._backend = backend
        self._cross = assembly_kernel(
            problem.metric, parts.moves.length, parts.grid, layout, strategy
        )
        self._shared_bytes = layout.shared_bytes(n)
        scratch = None
        if not layout.in_shared:
            scratch = xp.empty((size, assembly_layouts.assembly_bytes(n, 4, strategy)), "uint8")
        self._children = xp.empty((size, n), "int32")
        self._costs = xp.zeros(size, problem.cost_dtype)
        self._exact = problem.integer
        self._arguments: dict[str, Any] = {
            **parts.arguments,
            **numbers,
            "children": self._children,
            "costs": self._costs,
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
        self._children[:], self._costs[:] = first, costs
        arguments = {
            **self._arguments,
            "first": first,
            "second": second,
            "partners": partners,
            "generation": generation,
        }
        shared = self._shared_bytes
        launch = self._backend.launch
        launch(self._cross, len(first), arguments, shared_bytes=shared, seconds=seconds)
        return self._children, self._costs

    def children(self, first: Any, costs: Callable[[], Any], second: Any, partners: Any) -> Any:
        """Return one child for each pair of tours; costs are asked for where they are rounded."""
        known = self._costs if self._exact else costs()
        return self.cross(first, known, second, partners)[0]
