"""Partition crossover (Whitley, Hains and Howe 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.composition import Kernel, metric_kernel, parse_parameters
from gpu_ls_plugin.recombination.base import Recombination
from gpu_ls_plugin.recombination.pair_workspace import PAIRS, PairWorkspace
from gpu_ls_plugin.tours.tour_layouts import padded

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves
    from gpu_ls_plugin.problems.metrics import Metric
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.tours.tour_layouts import ChainShape


@dataclass(frozen=True)
class PartitionCrossover(Recombination):
    """Take the shorter of two tours' paths wherever they can be chosen one by one.

    Without the edges that they have in common, two tours fall into components. Where both pass
    through one between the same pairs of cities, the child has the edges of the shorter tour
    (Whitley, Hains and Howe 2009; Tinos, Whitley and Ochoa 2014); the other components are taken
    together from one of the tours. All edges are the parents', and the child never costs more
    than the cheaper one. Nothing is drawn: it is for tours that are local optima, and different.

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

    name = "partition_crossover"
    never_worse = True

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one pair in bytes: components, the child and its cost."""
        return 4 * n + 32 + components_bytes(n, 4)

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
        kernel = partial(partition_crossover_kernel, problem.metric)
        numbers = {"seed": seed, "first_row": first_row}
        return PairWorkspace(backend, problem, size, kernel, components_bytes, numbers)


def components_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a pair, as gls::PartitionCrossover has it."""
    most = n // 4 + 1
    cities = 2 * padded(2 * n * city_bytes) + 4 * padded(n * city_bytes)
    return cities + padded((most // 32 + 1) * 4) + padded(most * 8)


def partition_crossover_kernel(metric: Metric, layout: ChainShape) -> Kernel:
    """Compose the crossover of one pair per team."""
    return metric_kernel(
        "partition_crossover",
        metric,
        header="recombination/partition_crossover.cuh",
        body=f"gls::CrossPartitions<{{team}}, {{metric}}, {layout.memory}>",
        parameters=(*parse_parameters("const void* metric_data, int n"), PAIRS),
        team=layout.team,
    )
