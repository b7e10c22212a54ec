"""Neighbourhoods: parameters and contract here, the functors beside them in C++."""

from gpu_ls_plugin.neighbourhoods.base import Neighbourhood
from gpu_ls_plugin.neighbourhoods.between_routes import SwapStar, TwoOptStar
from gpu_ls_plugin.neighbourhoods.filtered import FilteredNeighbourhood
from gpu_ls_plugin.neighbourhoods.lin_kernighan import LinKernighan, LinKernighanLead
from gpu_ls_plugin.neighbourhoods.reconnections import ThreeOpt, TwoOpt
from gpu_ls_plugin.neighbourhoods.route_moves import RouteMoves
from gpu_ls_plugin.neighbourhoods.segment_moves import Exchange, OrOpt, Relocate

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
