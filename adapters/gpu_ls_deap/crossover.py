"""Crossover of one pair of individuals, or of all pairs of a generation in one batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_deap.individuals import random_state, rows_of, write
from gpu_ls_plugin.evolution.batches.crossing import Crossing, usual_part
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.core.problem import Problem


class RecombinationCrossover(ShownParameters):
    """Cross tours in place with a recombination of gpu_ls_plugin.

    Register it with ``toolbox.register("mate", RecombinationCrossover(problem,
    "order_recombination"))``. For the second child, the parents exchange roles. `batch` crosses all
    pairs of a generation at once; `var_and` calls it.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP (individuals are giant tours), a sequence problem such as a `FlowShop`, a
        `TourCost`, or an object that a plugin converts.
    part : Recombination or str, optional
        For example ``gls.EdgeAssembly()``, or the name of a registered recombination:
        "edge_assembly", "partition_recombination", "order_recombination",
        "partially_mapped_recombination", "cycle_recombination", "segment_recombination" or
        "edge_recombination". Plugins may register others. The first two compare lengths, so they
        cannot cross sequences. None: "segment_recombination", or "order_recombination" for
        sequences.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a recombination, the backend is unknown, or rows of the problem are not tours.
    """

    def __init__(self, problem: object, part: Any = None, backend: str = "auto") -> None:
        found = problem_for_operators(problem)
        self.crossing = Crossing(usual_part(found) if part is None else part, backend)
        self.problem: Problem = self.crossing.part.instance(found)

    def prepare(self, size: int = 1) -> None:
        """Compile for batches of `size` pairs ahead of a timed run."""
        self.crossing.prepare(self.problem, 2 * size)

    def __call__(self, first: Any, second: Any) -> tuple[Any, Any]:
        """Replace two individuals with their children (in place) and return them."""
        return self.batch([(first, second)])[0]

    def batch(self, pairs: Sequence[tuple[Any, Any]]) -> Sequence[tuple[Any, Any]]:
        """Replace the individuals of all pairs with their children (in place), in one batch."""
        if not pairs:
            return pairs
        ones, others = (
            checked_rows(self.problem, rows_of(side), "parents")
            for side in ([one for one, _ in pairs], [other for _, other in pairs])
        )
        first, second = np.concatenate([ones, others]), np.concatenate([others, ones])
        children = self.crossing(self.problem, first, second, random_state())
        write([*(one for one, _ in pairs), *(other for _, other in pairs)], children)
        return pairs
