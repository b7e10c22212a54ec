"""Parts of searches with several objectives, which know nothing of pymoo."""

from gpu_ls_plugin.tours.fronts.pareto_search import ParetoLocalSearch
from gpu_ls_plugin.tours.fronts.weights import (
    DirectionWeights,
    PositionWeights,
    RandomWeights,
    Tchebycheff,
)

__all__ = [
    "DirectionWeights",
    "ParetoLocalSearch",
    "PositionWeights",
    "RandomWeights",
    "Tchebycheff",
]
