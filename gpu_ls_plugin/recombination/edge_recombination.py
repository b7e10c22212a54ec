"""Edge recombination (Whitley, Starkweather and Fuquay 1989)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.recombination.base import Recombination
from gpu_ls_plugin.recombination.pair_workspace import PAIRS, PairWorkspace
from gpu_ls_plugin.tours.tour_layouts import padded

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.tours.tour_layouts import ChainShape


@dataclass(frozen=True)
class EdgeRecombination(Recombination):
    """Go from city to city along the edges of two tours.

    The child goes on along an edge that both parents have, if there is one, else to the neighbour
    in either parent that has the fewest neighbours left, and from a dead end to a random city
    (Whitley, Starkweather and Fuquay 1989; Mathias and Whitley 1992). A few hundredths of its edges
    are of neither parent, and long: it needs a local search after it.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges of a population; more than 0.
    generations : int
        Of each exchange.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    name = "edge_recombination"
    reverses = False  # lengths are not looked at

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one pair in bytes: the graph, the child and its cost."""
        return 4 * n + 32 + graph_bytes(n, 4)

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
        numbers = {"seed": seed, "first_row": first_row}
        return PairWorkspace(
            backend, problem, size, edge_recombination_kernel, graph_bytes, numbers
        )


def graph_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a pair, as gls::EdgeRecombination has it."""
    return 2 * padded(n * city_bytes) + padded(4 * n * city_bytes) + padded(n)


def edge_recombination_kernel(layout: ChainShape) -> Kernel:
    """Compose the crossover of one pair per team."""
    return Kernel(
        name="edge_recombination",
        header="recombination/edge_recombination.cuh",
        body=f"gls::CrossEdges<{layout.team}, {layout.memory}>",
        parameters=(*parse_parameters("int n"), PAIRS),
        team=layout.team,
        parts=("edge_recombination",),
    )
