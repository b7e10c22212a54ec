"""GPU local search for whole populations of permutations."""

from __future__ import annotations

from typing import Any

from gpu_ls_plugin import exceptions
from gpu_ls_plugin.acceptance import Always, Annealing, Better, BetterOrEqual, Threshold
from gpu_ls_plugin.budget import Budget
from gpu_ls_plugin.candidates import All, Alpha, Closure, Detour, Nearest, Quadrant
from gpu_ls_plugin.construction import (
    cheapest_insertion,
    greedy,
    nearest_neighbour,
    one_route_each,
    random_tours,
    savings,
    space_filling_curve,
    split,
    sweep,
)
from gpu_ls_plugin.distributed import Islands
from gpu_ls_plugin.drawing import (
    animate_run,
    plot_fronts,
    plot_population,
    plot_routes,
    plot_tour,
)
from gpu_ls_plugin.filtering import (
    DontLook,
    Everything,
    GainBound,
    InCandidates,
    Radius,
    RandomKeep,
)
from gpu_ls_plugin.heuristics import (
    ByType,
    Capacities,
    CheapestValue,
    Conflicts,
    Distinct,
    Expression,
    Heuristic,
    Mask,
    Masked,
    WeightTable,
)
from gpu_ls_plugin.neighbourhoods import (
    Exchange,
    FilteredNeighbourhood,
    LinKernighan,
    LinKernighanLead,
    OrOpt,
    Relocate,
    RouteMoves,
    SwapStar,
    ThreeOpt,
    TwoOpt,
    TwoOptStar,
)
from gpu_ls_plugin.perturbations import DoubleBridge, Restart, RuinRecreate, StringRemoval
from gpu_ls_plugin.pivoting import Best, First, Multi, RandomK
from gpu_ls_plugin.plugins.registry import registry
from gpu_ls_plugin.problems import (
    CVRP,
    TSP,
    Assignment,
    GeneralisedAssignment,
    GraphColouring,
    MultiObjectiveTSP,
    OpenPath,
    Problem,
    QuadraticAssignment,
)
from gpu_ls_plugin.problems import referee as solution
from gpu_ls_plugin.problems.tsplib import read_tour
from gpu_ls_plugin.progress import SearchDisplay
from gpu_ls_plugin.result import Progress, Result, Statistics
from gpu_ls_plugin.searches import (
    BestMoves,
    Cycle,
    Decomposed,
    EdgeAssembly,
    EdgeRecombination,
    EliteEdges,
    HybridGeneticSearch,
    IteratedLocalSearch,
    LocalSearch,
    Merging,
    Migration,
    OrderCrossover,
    PartiallyMapped,
    PartitionCrossover,
    PricedMigration,
    RandomRestarts,
    RouteEdgeAssembly,
    RouteExchange,
    SegmentCrossover,
    SelectiveRouteExchange,
    SplitCrossover,
    Symmetrised,
    best_moves,
    observers,
)
from gpu_ls_plugin.searches.successors import SuccessorSearch
from gpu_ls_plugin.solver.calls import fewest_colours, solve
from gpu_ls_plugin.solver.many import ManyResult, solve_many
from gpu_ls_plugin.successors import SuccessorGeneration

__version__ = "0.1.0"

__all__ = [
    "CVRP",
    "TSP",
    "All",
    "Alpha",
    "Always",
    "Annealing",
    "Assignment",
    "Best",
    "BestMoves",
    "Better",
    "BetterOrEqual",
    "Budget",
    "ByType",
    "Capacities",
    "CheapestValue",
    "Closure",
    "Conflicts",
    "Cycle",
    "Decomposed",
    "Detour",
    "Distinct",
    "DontLook",
    "DoubleBridge",
    "EdgeAssembly",
    "EdgeRecombination",
    "EliteEdges",
    "Everything",
    "Exchange",
    "Expression",
    "FilteredNeighbourhood",
    "First",
    "GainBound",
    "GeneralisedAssignment",
    "GraphColouring",
    "Heuristic",
    "HybridGeneticSearch",
    "InCandidates",
    "Islands",
    "IteratedLocalSearch",
    "LinKernighan",
    "LinKernighanLead",
    "LocalSearch",
    "ManyResult",
    "Mask",
    "Masked",
    "Merging",
    "Migration",
    "Multi",
    "MultiObjectiveTSP",
    "Nearest",
    "OpenPath",
    "OrOpt",
    "OrderCrossover",
    "PartiallyMapped",
    "PartitionCrossover",
    "PricedMigration",
    "Problem",
    "Progress",
    "Quadrant",
    "QuadraticAssignment",
    "Radius",
    "RandomK",
    "RandomKeep",
    "RandomRestarts",
    "Relocate",
    "Restart",
    "Result",
    "RouteEdgeAssembly",
    "RouteExchange",
    "RouteMoves",
    "RuinRecreate",
    "SearchDisplay",
    "SegmentCrossover",
    "SelectiveRouteExchange",
    "SplitCrossover",
    "Statistics",
    "StringRemoval",
    "SuccessorGeneration",
    "SuccessorSearch",
    "SwapStar",
    "Symmetrised",
    "ThreeOpt",
    "Threshold",
    "TwoOpt",
    "TwoOptStar",
    "WeightTable",
    "animate_run",
    "best_moves",
    "cheapest_insertion",
    "exceptions",
    "fewest_colours",
    "greedy",
    "nearest_neighbour",
    "one_route_each",
    "plot_fronts",
    "plot_population",
    "plot_routes",
    "plot_tour",
    "random_tours",
    "read_tour",
    "savings",
    "solve",
    "solve_many",
    "space_filling_curve",
    "split",
    "sweep",
]


def _load_plugins() -> None:
    from gpu_ls_plugin.plugins import loader as plugins

    plugins.load_all()


def _device_costs(problem: TSP, tours: Any) -> Any:
    from gpu_ls_plugin.backends import arrays, evaluation, get_backend

    backend = get_backend("cuda", tours=tours)
    with backend.current():
        return evaluation.tour_costs(backend, problem, arrays.take_tours(backend, problem, tours))


def _search_finished(problem: Problem, search: object, statistics: Statistics) -> None:
    from gpu_ls_plugin.plugins import loader as plugins

    plugins.search_finished(problem, search, statistics)


# Lower layers reach upper ones through these, so that imports point one way.
registry.loader = _load_plugins
solution.device_costs = _device_costs
observers.listener = _search_finished
