"""Recombinations of the routes of giant tours as pymoo operators."""

from __future__ import annotations

from typing import Any

import gpu_ls_plugin as gls
from gpu_ls_pymoo.crossover import RecombinationCrossover


class SplitCrossover(RecombinationCrossover):
    """Cross the order of the customers, and cut the child into routes by Split.

    Order crossover without copies of the depot (Prins 2004), on a `CVRPProblem`. Children respect
    load and duration, whatever the parents do.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.SplitRecombination(), prob, **kwargs)


class RouteEdgeAssemblyCrossover(RecombinationCrossover):
    """Exchange one AB-cycle of the edges in which two solutions differ, the depot being one node.

    Edge assembly for vehicle routing (Nagata and Bräysy 2009), on a `CVRPProblem`. Load and
    duration are left to the search of the children.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.RouteEdgeAssembly(), prob, **kwargs)
