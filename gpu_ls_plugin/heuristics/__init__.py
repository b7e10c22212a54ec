"""Heuristics: what says how good it is to assign a value to a variable."""

from gpu_ls_plugin.heuristics.base import Heuristic
from gpu_ls_plugin.heuristics.by_type import ByType
from gpu_ls_plugin.heuristics.cheapest_value import CheapestValue
from gpu_ls_plugin.heuristics.expression import Expression
from gpu_ls_plugin.heuristics.masked import Mask, Masked
from gpu_ls_plugin.heuristics.masks import Capacities, Conflicts, Distinct
from gpu_ls_plugin.heuristics.weight_table import WeightTable

__all__ = [
    "ByType",
    "Capacities",
    "CheapestValue",
    "Conflicts",
    "Distinct",
    "Expression",
    "Heuristic",
    "Mask",
    "Masked",
    "WeightTable",
]
