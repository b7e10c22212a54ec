"""Neighbourhoods: parameters and contract here, the functors beside them in C++."""

from gpu_ls_plugin.neighbourhoods.base import Neighbourhood
from gpu_ls_plugin.neighbourhoods.filtered import FilteredNeighbourhood
from gpu_ls_plugin.neighbourhoods.lin_kernighan import LinKernighan
from gpu_ls_plugin.neighbourhoods.or_opt import OrOpt
from gpu_ls_plugin.neighbourhoods.three_opt import ThreeOpt
from gpu_ls_plugin.neighbourhoods.two_opt import TwoOpt

__all__ = [
    "FilteredNeighbourhood",
    "LinKernighan",
    "Neighbourhood",
    "OrOpt",
    "ThreeOpt",
    "TwoOpt",
]
