"""PyGAD adapter: the library's searches and crossovers on whole generations of `pygad.GA`.

Nothing is imported before one of the public names is used, and nothing of PyGAD itself: operators
are functions that PyGAD calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from gpu_ls_pygad.crossover import RecombinationCrossover
    from gpu_ls_pygad.fitness import TourFitness
    from gpu_ls_pygad.mutation import (
        DoubleBridgeMutation,
        LocalSearchMutation,
        PerturbationMutation,
    )
    from gpu_ls_pygad.sampling import LocalSearchSampling
    from gpu_ls_pygad.successors import SuccessorMutation, SuccessorSampling

__all__ = [
    "DoubleBridgeMutation",
    "LocalSearchMutation",
    "LocalSearchSampling",
    "PerturbationMutation",
    "RecombinationCrossover",
    "SuccessorMutation",
    "SuccessorSampling",
    "TourFitness",
]

_HOMES = {
    "DoubleBridgeMutation": "mutation",
    "LocalSearchMutation": "mutation",
    "LocalSearchSampling": "sampling",
    "PerturbationMutation": "mutation",
    "RecombinationCrossover": "crossover",
    "SuccessorMutation": "successors",
    "SuccessorSampling": "successors",
    "TourFitness": "fitness",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES, "pygad")
