"""Edge assembly crossover with local exchanges (Nagata and Kobayashi 2013)."""

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
from gpu_ls_plugin.tours.crossovers.pair_recombination import PAIRS, PairKernel
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
CANDIDATES = Nearest(8)  # lists for joining subtours, if the search has none
HEADER = "tours/crossovers/edge_assembly.cuh"
PARAMETERS = (*composed.PARAMETERS, PAIRS, struct_of(HEADER, "AssemblyData"))


@dataclass(frozen=True)
class EdgeAssembly(Recombination):
    """Take over edges of the second parent that make the first parent shorter.

    Edge assembly crossover (Nagata and Kobayashi 2013): the edges in which two tours differ are
    split into AB-cycles, closed walks along edges of both tours in turn. The first tour takes over
    the cycles that make it cheaper, one after another, so the child never costs more than the first
    tour. As the cooperation of a few hundred chains, the crossover is far more effective than kicks
    alone, especially from random starts.

    Parameters
    ----------
    every, generations
        See `Recombination`.
    offspring : int
        Maximum number of exchanges to try per pair.
    strategy : {"single", "block", "staged"}
        "single" exchanges one AB-cycle at a time. "block" exchanges several: it takes the largest
        cycles first, and adds smaller cycles that share cities with them if this leaves fewer
        subtours, or as many at a lower cost. Blocks take longer; use them once single cycles no
        longer gain. "staged" uses single cycles, then blocks as soon as few tours of a population
        gain; for given pairs, it always uses single cycles.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number, or `strategy` is unknown.
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
        """The recombination to use once crossovers improve few tours of a population."""
        return replace(self, strategy="block") if self.strategy == STAGED else self

    def bytes_per_tour(self, n: int) -> int:
        """Return how many bytes of device memory a pair needs, with its child and cost."""
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
    """Compose the kernel that crosses one pair per team."""
    parts = f"{metric_type(metric, grid)}, {length}, {layout.memory}, {strategy.functor}"
    body = f"gls::EdgeAssembly<{{team}}, {parts}>"
    kernel = metric_kernel("edge_assembly", metric, HEADER, body, PARAMETERS, layout.team)
    return replace(kernel, headers=(*kernel.headers, strategy.header))


class AssemblyWorkspace(Workspace):
    """The workspace of edge assembly for batches of `size` pairs of a symmetric problem.

    `numbers` has the kernel's arguments `seed`, `first_row` and `offspring`.
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
        n = problem.n
        layout = assembly_layouts.layout_on(backend, n, size, strategy)
        kernel = assembly_kernel(problem.metric, parts.moves.length, parts.grid, layout, strategy)
        self._exact = problem.integer
        self._costs = backend.xp.zeros(size, problem.cost_dtype)
        own = assembly_layouts.assembly_bytes(n, 4, strategy)
        arguments = {**parts.arguments, **numbers, "costs": self._costs}
        self._pairs = PairKernel(backend, kernel, layout, size, n, own, arguments)

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
        self._costs[:] = costs
        return self._pairs.cross(first, second, partners, generation, seconds), self._costs

    def children(self, first: Any, costs: Callable[[], Any], second: Any, partners: Any) -> Any:
        """Return one child for each pair of tours; only real lengths require the parents' costs."""
        known = self._costs if self._exact else costs()
        return self.cross(first, known, second, partners)[0]
