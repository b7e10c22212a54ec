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
    """Take the shorter of the two parents' paths wherever paths can be chosen independently.

    Without their common edges, two tours fall into components. If both tours pass through a
    component between the same pairs of cities, the child takes the edges of the tour that is
    shorter there (Whitley, Hains and Howe 2009; Tinos, Whitley and Ochoa 2014). The other
    components are all taken from the same parent. All edges come from the parents, and the child
    never costs more than the cheaper parent. There are no random choices. Use this crossover for
    tours that are distinct local optima.

    Parameters
    ----------
    every, generations
        See `Recombination`.
    """

    name = "partition_recombination"
    never_worse = True

    def pair_bytes(self, n: int, city_bytes: int) -> int:
        """Return the bytes of working memory per pair: its components and their gains."""
        most = n // 4 + 1
        cities = 2 * padded(2 * n * city_bytes) + 4 * padded(n * city_bytes)
        return cities + padded((most // 32 + 1) * 4) + padded(most * 8)

    def kernel(self, metric: Metric, layout: ChainShape) -> Kernel:
        """Compose the kernel, which crosses one pair per team and reads lengths."""
        body = f"gls::CrossPartitions<{{team}}, {{metric}}, {layout.memory}>"
        parameters = (*parse_parameters("const void* metric_data, int n"), PAIRS)
        header = "tours/crossovers/partition_crossover.cuh"
        return metric_kernel(self.name, metric, header, body, parameters, layout.team)
