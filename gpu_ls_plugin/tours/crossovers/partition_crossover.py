"""Partition crossover (Whitley, Hains and Howe 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.tours.crossovers.pair_recombination import PAIRS, PairRecombination
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.kernels.tour_layouts import ChainShape
    from gpu_ls_plugin.tours.problem.metrics import Metric


@dataclass(frozen=True)
class PartitionRecombination(PairRecombination):
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

    name = "partition_recombination"
    never_worse = True

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the memory of a pair: its components, and what each of them gains."""
        most = n // 4 + 1
        cities = 2 * padded(2 * n * city_bytes) + 4 * padded(n * city_bytes)
        return cities + padded((most // 32 + 1) * 4) + padded(most * 8)

    def kernel(self, metric: Metric, layout: ChainShape) -> Kernel:
        """Compose the crossover of one pair per team, which looks at lengths."""
        return metric_kernel(
            self.name,
            metric,
            header="tours/crossovers/partition_crossover.cuh",
            body=f"gls::CrossPartitions<{{team}}, {{metric}}, {layout.memory}>",
            parameters=(*parse_parameters("const void* metric_data, int n"), PAIRS),
            team=layout.team,
        )
