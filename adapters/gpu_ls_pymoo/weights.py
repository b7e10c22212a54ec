"""Rules for the weights of objectives, and Pareto local search: parts that need nothing of pymoo."""

from gpu_ls_plugin.evolution.pareto_search import ParetoLocalSearch
from gpu_ls_plugin.evolution.weights import DirectionWeights, PositionWeights, RandomWeights

__all__ = ["DirectionWeights", "ParetoLocalSearch", "PositionWeights", "RandomWeights"]
