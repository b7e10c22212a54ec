"""Neighbourhoods: parameters and contract here, the functors beside them in C++."""

from gpu_ls_plugin.neighbourhoods.base import Neighbourhood
from gpu_ls_plugin.neighbourhoods.exchange import Exchange
from gpu_ls_plugin.neighbourhoods.filtered import FilteredNeighbourhood
from gpu_ls_plugin.neighbourhoods.lin_kernighan import LinKernighan
from gpu_ls_plugin.neighbourhoods.lin_kernighan_lead import LinKernighanLead
from gpu_ls_plugin.neighbourhoods.or_opt import OrOpt
from gpu_ls_plugin.neighbourhoods.relocate import Relocate
from gpu_ls_plugin.neighbourhoods.route_moves import RouteMoves
from gpu_ls_plugin.neighbourhoods.swap_star import SwapStar
from gpu_ls_plugin.neighbourhoods.three_opt import ThreeOpt
from gpu_ls_plugin.neighbourhoods.two_opt import TwoOpt
from gpu_ls_plugin.neighbourhoods.two_opt_star import TwoOptStar

__all__ = [
    "Exchange",
    "FilteredNeighbourhood",
    "LinKernighan",
    "LinKernighanLead",
    "Neighbourhood",
    "OrOpt",
    "Relocate",
    "RouteMoves",
    "SwapStar",
    "ThreeOpt",
    "TwoOpt",
    "TwoOptStar",
]
