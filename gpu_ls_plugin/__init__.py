"""GPU local search for whole populations of permutations.

Each public name is imported when it is first used, so that ``import gpu_ls_plugin`` is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import upper_layers
from gpu_ls_plugin.lazy_names import lazy_names

if TYPE_CHECKING:
    from gpu_ls_plugin import exceptions
    from gpu_ls_plugin.acceptance import Always, Annealing, Better, BetterOrEqual, Threshold
    from gpu_ls_plugin.budget import Budget
    from gpu_ls_plugin.candidates import All, Alpha, Closure, Detour, Nearest, Quadrant
    from gpu_ls_plugin.construction import cheapest_insertion, one_route_each, savings, split, sweep
    from gpu_ls_plugin.construction.greedy import greedy
    from gpu_ls_plugin.construction.nearest_neighbour import nearest_neighbour
    from gpu_ls_plugin.construction.random_tours import random_tours
    from gpu_ls_plugin.construction.space_filling_curve import space_filling_curve
    from gpu_ls_plugin.cooperation import EliteEdges, Migration, PricedMigration
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
    from gpu_ls_plugin.plugins.registry import registry as registry
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
    from gpu_ls_plugin.problems import referee as solution  # noqa: F401
    from gpu_ls_plugin.problems.known_optima import known_optimum
    from gpu_ls_plugin.problems.tsplib import read_tour
    from gpu_ls_plugin.progress import SearchDisplay
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
    from gpu_ls_plugin.result import Progress, Result, Statistics
    from gpu_ls_plugin.searches import (
        Decomposed,
        HybridGeneticSearch,
        IteratedLocalSearch,
        LocalSearch,
        RandomRestarts,
        Symmetrised,
    )
    from gpu_ls_plugin.searches import observers as observers
    from gpu_ls_plugin.searches.best_moves import BestMoves, best_moves
    from gpu_ls_plugin.searches.successors import SuccessorSearch
    from gpu_ls_plugin.solver.calls import fewest_colours, plan, solve
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
    "known_optimum",
    "nearest_neighbour",
    "one_route_each",
    "plan",
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

# The public names, by the module that they are imported from; modules of the package come last.
_NAMES = {
    "acceptance": "Always Annealing Better BetterOrEqual Threshold",
    "budget": "Budget",
    "candidates": "All Alpha Closure Detour Nearest Quadrant",
    "construction": (
        "cheapest_insertion greedy nearest_neighbour one_route_each random_tours savings "
        "space_filling_curve split sweep"
    ),
    "cooperation": "EliteEdges Migration PricedMigration",
    "distributed": "Islands",
    "drawing": "animate_run plot_fronts plot_population plot_routes plot_tour",
    "filtering": "DontLook Everything GainBound InCandidates Radius RandomKeep",
    "heuristics": (
        "ByType Capacities CheapestValue Conflicts Distinct Expression Heuristic Mask Masked "
        "WeightTable"
    ),
    "neighbourhoods": (
        "Exchange FilteredNeighbourhood LinKernighan LinKernighanLead OrOpt Relocate RouteMoves "
        "SwapStar ThreeOpt TwoOpt TwoOptStar"
    ),
    "perturbations": "DoubleBridge Restart RuinRecreate StringRemoval",
    "pivoting": "Best First Multi RandomK",
    "plugins.registry": "registry",
    "problems": (
        "Assignment CVRP GeneralisedAssignment GraphColouring MultiObjectiveTSP OpenPath Problem "
        "QuadraticAssignment TSP"
    ),
    "problems.known_optima": "known_optimum",
    "problems.referee.": "solution",
    "problems.tsplib": "read_tour",
    "progress": "SearchDisplay",
    "recombination": (
        "Cycle EdgeAssembly EdgeRecombination Merging OrderCrossover PartiallyMapped "
        "PartitionCrossover RouteEdgeAssembly RouteExchange SegmentCrossover "
        "SelectiveRouteExchange SplitCrossover"
    ),
    "result": "Progress Result Statistics",
    "searches": (
        "Decomposed HybridGeneticSearch IteratedLocalSearch LocalSearch RandomRestarts Symmetrised"
    ),
    "searches.best_moves": "BestMoves best_moves",
    "searches.observers.": "observers",
    "searches.successors": "SuccessorSearch",
    "solver.calls": "fewest_colours plan solve",
    "solver.many": "ManyResult solve_many",
    "successors": "SuccessorGeneration",
    "": (
        "acceptance backends budget candidates checks construction cooperation distributed "
        "drawing evolution exceptions experiments extend files filtering heuristics history "
        "neighbourhoods objectives perturbations pivoting plugins problems progress recombination "
        "resources result search_text searches solver successors testing tours trust"
    ),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # so that type checkers still report names that do not exist
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)


def _load_plugins() -> None:
    from gpu_ls_plugin.plugins import loader as plugins

    plugins.load_all()


def _device_costs(problem: TSP, tours: Any) -> Any:
    from gpu_ls_plugin.backends import arrays, evaluation, get_backend

    backend = get_backend("cuda", tours=tours)
    with backend.current():
        return evaluation.added_up_costs(
            backend, problem, arrays.take_tours(backend, problem, tours)
        )


def _search_finished(problem: Problem, search: object, statistics: Statistics) -> None:
    from gpu_ls_plugin.plugins import loader as plugins

    plugins.search_finished(problem, search, statistics)


upper_layers.load_plugins = _load_plugins
upper_layers.device_costs = _device_costs
upper_layers.search_finished = _search_finished
