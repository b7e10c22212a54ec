"""Recombinations of routes as crossovers of pymoo, for giant tours of a `CVRPProblem`."""

from __future__ import annotations

from typing import Any

import gpu_ls_plugin as gls
from gpu_ls_pymoo.crossover import RecombinationCrossover


class SplitCrossover(RecombinationCrossover):
    """Cross the order of the customers, and cut the child into routes by Split.

    Order crossover without copies of the depot (Prins 2004). Children respect load and duration
    even if the parents do not.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.SplitRecombination(), prob, **kwargs)


class RouteEdgeAssemblyCrossover(RecombinationCrossover):
    """Exchange one AB-cycle of edges in which two solutions differ; the depot is one node.

    Edge assembly for vehicle routing (Nagata and Bräysy 2009). Children may violate load and
    duration, which the search then repairs.

    Parameters
    ----------
    prob, backend
        As in `RecombinationCrossover`.
    """

    def __init__(self, prob: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(gls.RouteEdgeAssembly(), prob, **kwargs)
