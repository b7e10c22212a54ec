"""Generations of edge assembly crossover over a population (Nagata and Kobayashi 2013)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.composition import Kernel, metric_kernel, parse_parameters
from gpu_ls_plugin.neighbourhoods import composed
from gpu_ls_plugin.recombination import assembly_layouts
from gpu_ls_plugin.tours.sites import metric_type
from gpu_ls_plugin.tours.tour_layouts import ChainShape, HostShape

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.neighbourhoods.composed import Composed
    from gpu_ls_plugin.problems.metrics import Metric
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.searches.chains.chain_kernel import ChainState

PARAMETERS = composed.LISTS + (
    "gls::uint64 seed, gls::int64 generation, int parents, int offspring, "
    "const void* neighbours, int* tours, int* best_tours, void* costs, void* best_costs, "
    "gls::int64* idle_counts, char* scratch"
)


def neighbours_kernel(city: str, team: str) -> Kernel:
    """Compose the kernel that notes the neighbours of every city, as C++ type `city`."""
    return Kernel(
        name="note_neighbours",
        header="recombination/neighbours.cuh",
        body=f"gls::NoteNeighbours<{team}, {city}>",
        parameters=parse_parameters("int n, const int* tours, void* neighbours"),
        team=team,
        parts=("note_neighbours",),
    )


def assembly_kernel(metric: Metric, length: str, grid: str, layout: ChainShape) -> Kernel:
    """Compose the crossover of one tour per team."""
    return metric_kernel(
        "edge_assembly",
        metric,
        header="recombination/edge_assembly.cuh",
        body=f"gls::EdgeAssembly<{{team}}, {metric_type(metric, grid)}, {length}, {layout.memory}>",
        parameters=PARAMETERS,
        team=layout.team,
    )


class Population:
    """Chains whose best tours take over from one another what makes them shorter.

    Parameters
    ----------
    backend : Backend
    problem : TSP
        Symmetric.
    parts : Composed
        Candidates and lengths on this backend.
    seed : int
    size : int
        Number of chains.
    """

    def __init__(
        self, backend: Backend, problem: TSP, parts: Composed, seed: int, size: int
    ) -> None:
        n, xp = problem.n, backend.xp
        if backend.name == "cpu":
            layout: ChainShape = HostShape.of(n)
        else:
            per_processor = -(-size // backend.processors)
            layout = assembly_layouts.assembly_shape(n, per_processor, backend.shared_memory)
        self._backend = backend
        self._note = neighbours_kernel(layout.city, backend.block(256))
        self._cross = assembly_kernel(problem.metric, parts.moves.length, parts.grid, layout)
        self._shared_bytes = layout.shared_bytes(n)
        short, scratch = layout.city == "gls::uint16", None
        if not layout.in_shared:
            scratch = xp.empty((size, assembly_layouts.assembly_bytes(n, 4)), "uint8")
        self._arguments: dict[str, Any] = {
            **parts.arguments,
            "seed": seed,
            "parents": size,
            "neighbours": xp.empty((size, n, 2), "uint16" if short else "int32"),
            "scratch": scratch,
        }
        self._generation = 0

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return the device memory of one tour in bytes."""
        return 8 * n + assembly_layouts.assembly_bytes(n, 4)

    def next_generation(self, state: ChainState, offspring: int, seconds: float = math.inf) -> None:
        """Let the best tour of each chain take over what makes it cheaper.

        The other parent is the present tour of another chain: kicks keep these different even where
        the best tours have become alike.

        Parameters
        ----------
        state : ChainState
            Chains go on from tours that have changed.
        offspring : int
            Of each tour with its partner, at most.
        seconds : float
            After which the CPU begins with no further tour.
        """
        arguments = {**self._arguments, **state.state_arguments, "offspring": offspring}
        arguments["generation"] = self._generation
        self._generation += 1
        size, launch = len(state.tours), self._backend.launch
        launch(self._note, size, arguments)
        launch(self._cross, size, arguments, shared_bytes=self._shared_bytes, seconds=seconds)
