"""DEAP adapter: the library's searches and crossovers for a toolbox, one by one or in batches.

Nothing is imported before one of the public names is used, and nothing of DEAP itself: an
individual is any mutable sequence of cities, with or without a ``fitness``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from gpu_ls_deap.cost import TourCost
    from gpu_ls_deap.crossover import RecombinationCrossover
    from gpu_ls_deap.mutation import (
        DoubleBridgeMutation,
        LocalSearchMutation,
        PerturbationMutation,
    )
    from gpu_ls_deap.run import TimedRun
    from gpu_ls_deap.sampling import LocalSearchSampling
    from gpu_ls_deap.successors import SuccessorMutation, SuccessorSampling
    from gpu_ls_deap.variation import var_and

__all__ = [
    "DoubleBridgeMutation",
    "LocalSearchMutation",
    "LocalSearchSampling",
    "PerturbationMutation",
    "RecombinationCrossover",
    "SuccessorMutation",
    "SuccessorSampling",
    "TimedRun",
    "TourCost",
    "var_and",
]

_HOMES = {
    "DoubleBridgeMutation": "mutation",
    "LocalSearchMutation": "mutation",
    "LocalSearchSampling": "sampling",
    "PerturbationMutation": "mutation",
    "RecombinationCrossover": "crossover",
    "SuccessorMutation": "successors",
    "SuccessorSampling": "successors",
    "TimedRun": "run",
    "TourCost": "cost",
    "var_and": "variation",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES, "deap")
