"""Crossover of all offspring of a generation in one batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.evolution.batches.crossing import Crossing, usual_part
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators
from gpu_ls_pygad.run import random_state, uncounted_compiling

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem


class RecombinationCrossover(ShownParameters):
    """Cross tours with a recombination of gpu_ls_plugin, all offspring in one batch.

    Pass it as ``crossover_type`` to `pygad.GA`. As in PyGAD's own crossovers, offspring k is a
    child of the parents k and k + 1, cyclically. With ``crossover_probability`` p, each pair is
    crossed with probability p; otherwise the child is a copy of the first parent.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP (solutions are giant tours), a sequence problem such as a `FlowShop`, a
        `TourFitness`, PyGAD's benchmark TSP, or an object that a plugin converts.
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
        """Compile for generations of `size` ahead of a timed run."""
        self.crossing.prepare(self.problem, size)

    def __call__(
        self, parents: NDArray[Any], offspring_size: tuple[int, int], ga_instance: Any
    ) -> NDArray[Any]:
        """Return offspring of shape `offspring_size`, with the dtype of the parents."""
        state = random_state(ga_instance)
        first = np.arange(offspring_size[0]) % len(parents)
        made = parents[first]
        prob = ga_instance.crossover_probability
        crossed = state.random(len(first)) < (1.0 if prob is None else prob)
        if crossed.any():
            second = parents[(first[crossed] + 1) % len(parents)]
            with uncounted_compiling(ga_instance):
                made[crossed] = self.crossing(self.problem, made[crossed], second, state)
        return made
