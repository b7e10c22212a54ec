"""Recombination: crossovers of tours, pair by pair and in populations of chains."""

from gpu_ls_plugin.recombination.base import Recombination
from gpu_ls_plugin.recombination.edge_assembly import EdgeAssembly
from gpu_ls_plugin.recombination.merging import Merging
from gpu_ls_plugin.recombination.partition_crossover import PartitionCrossover
from gpu_ls_plugin.recombination.route_edge_assembly import RouteEdgeAssembly
from gpu_ls_plugin.recombination.route_exchange import RouteExchange
from gpu_ls_plugin.recombination.selective_route_exchange import SelectiveRouteExchange
from gpu_ls_plugin.recombination.split_crossover import SplitCrossover
from gpu_ls_plugin.recombination.tour_crossovers import (
    Cycle,
    EdgeRecombination,
    OrderCrossover,
    PartiallyMapped,
    SegmentCrossover,
)
from gpu_ls_plugin.recombination.workspace import Workspace

__all__ = [
    "Cycle",
    "EdgeAssembly",
    "EdgeRecombination",
    "Merging",
    "OrderCrossover",
    "PartiallyMapped",
    "PartitionCrossover",
    "Recombination",
    "RouteEdgeAssembly",
    "RouteExchange",
    "SegmentCrossover",
    "SelectiveRouteExchange",
    "SplitCrossover",
    "Workspace",
]
