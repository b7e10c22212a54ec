"""Searches: the templates in C++ and their Python faces."""

from gpu_ls_plugin.cooperation import EliteEdges, Migration, PricedMigration
from gpu_ls_plugin.recombination import (
    Cycle,
    EdgeAssembly,
    EdgeRecombination,
    Merging,
    OrderCrossover,
    PartiallyMapped,
    PartitionCrossover,
    RouteEdgeAssembly,
    RouteExchange,
    SegmentCrossover,
    SelectiveRouteExchange,
    SplitCrossover,
)
from gpu_ls_plugin.searches import iterated, opening
from gpu_ls_plugin.searches.best_moves import BestMoves, best_moves
from gpu_ls_plugin.searches.decomposition.decomposed import Decomposed
from gpu_ls_plugin.searches.genetic.hybrid_genetic import HybridGeneticSearch
from gpu_ls_plugin.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.searches.local_search import LocalSearch
from gpu_ls_plugin.searches.random_restarts import RandomRestarts
from gpu_ls_plugin.searches.symmetrised import Symmetrised

__all__ = [
    "BestMoves",
    "Cycle",
    "Decomposed",
    "EdgeAssembly",
    "EdgeRecombination",
    "EliteEdges",
    "HybridGeneticSearch",
    "IteratedLocalSearch",
    "LocalSearch",
    "Merging",
    "Migration",
    "OrderCrossover",
    "PartiallyMapped",
    "PartitionCrossover",
    "PricedMigration",
    "RandomRestarts",
    "RouteEdgeAssembly",
    "RouteExchange",
    "SegmentCrossover",
    "SelectiveRouteExchange",
    "SplitCrossover",
    "Symmetrised",
    "best_moves",
]

iterated.open_batch = opening.open_batch
