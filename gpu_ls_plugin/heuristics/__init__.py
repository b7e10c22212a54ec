"""Heuristics: what says how good it is to assign a value to a variable."""

from gpu_ls_plugin.heuristics.base import Heuristic
from gpu_ls_plugin.heuristics.expression import Expression
from gpu_ls_plugin.heuristics.weight_table import WeightTable

__all__ = ["Expression", "Heuristic", "WeightTable"]
