"""GPU local search for whole populations of permutations.

Each public name is imported when it is first used, so that ``import gpu_ls_plugin`` is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import upper_layers
from gpu_ls_plugin.core.former_rooms import former_room
from gpu_ls_plugin.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from gpu_ls_plugin.assignment.engines.successor_search import SuccessorSearch
    from gpu_ls_plugin.assignment.heuristics.base import Heuristic
    from gpu_ls_plugin.assignment.heuristics.by_type import ByType
    from gpu_ls_plugin.assignment.heuristics.cheapest_value import CheapestValue
    from gpu_ls_plugin.assignment.heuristics.expression import Expression
    from gpu_ls_plugin.assignment.heuristics.masked import Mask, Masked
    from gpu_ls_plugin.assignment.heuristics.masks.capacities import Capacities
    from gpu_ls_plugin.assignment.heuristics.masks.conflicts import Conflicts, Distinct
    from gpu_ls_plugin.assignment.heuristics.weight_table import WeightTable
    from gpu_ls_plugin.assignment.plan.fewest_colours import fewest_colours
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.assignment.problem.generalised_assignment import GeneralisedAssignment
    from gpu_ls_plugin.assignment.problem.graph_colouring import GraphColouring
    from gpu_ls_plugin.assignment.problem.quadratic_assignment import QuadraticAssignment
    from gpu_ls_plugin.assignment.successors.generation import SuccessorGeneration
    from gpu_ls_plugin.core import exceptions
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.progress import SearchDisplay
    from gpu_ls_plugin.core.registry import registry as registry
    from gpu_ls_plugin.core.result import Progress, Result, Statistics
    from gpu_ls_plugin.distributed import Islands
    from gpu_ls_plugin.drawing.fronts import plot_fronts
    from gpu_ls_plugin.drawing.runs import animate_run
    from gpu_ls_plugin.drawing.solutions import plot_solution
    from gpu_ls_plugin.routes.construction.cheapest_insertion import cheapest_insertion
    from gpu_ls_plugin.routes.construction.one_route_each import one_route_each
    from gpu_ls_plugin.routes.construction.savings import savings
    from gpu_ls_plugin.routes.construction.split import split
    from gpu_ls_plugin.routes.construction.sweep import sweep
    from gpu_ls_plugin.routes.crossovers.route_edge_assembly import RouteEdgeAssembly
    from gpu_ls_plugin.routes.crossovers.route_exchange import RouteExchange
    from gpu_ls_plugin.routes.crossovers.selective_route_exchange import SelectiveRouteExchange
    from gpu_ls_plugin.routes.crossovers.split_crossover import SplitCrossover
    from gpu_ls_plugin.routes.engines.prices import PricedMigration
    from gpu_ls_plugin.routes.moves.between_routes import SwapStar, TwoOptStar
    from gpu_ls_plugin.routes.moves.route_moves import RouteMoves
    from gpu_ls_plugin.routes.plan.drawing import plot_routes
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.routes.removals.ruin_recreate import RuinRecreate
    from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
    from gpu_ls_plugin.routes.searches.decomposition.decomposed import Decomposed
    from gpu_ls_plugin.routes.searches.genetic.hybrid_genetic import HybridGeneticSearch
    from gpu_ls_plugin.runs import observers as observers
    from gpu_ls_plugin.runs.acceptance import (
        Always,
        Annealing,
        Better,
        BetterOrEqual,
        Threshold,
    )
    from gpu_ls_plugin.runs.settings import Settings
    from gpu_ls_plugin.solver.calls import plan, solve
    from gpu_ls_plugin.tours.candidates.alpha import Alpha
    from gpu_ls_plugin.tours.candidates.detour import Detour
    from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
    from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
    from gpu_ls_plugin.tours.construction.greedy import greedy
    from gpu_ls_plugin.tours.construction.nearest_neighbour import nearest_neighbour
    from gpu_ls_plugin.tours.construction.random_tours import random_tours
    from gpu_ls_plugin.tours.construction.space_filling_curve import space_filling_curve
    from gpu_ls_plugin.tours.cooperation.migration import Migration
    from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
    from gpu_ls_plugin.tours.crossovers.merging import Merging
    from gpu_ls_plugin.tours.crossovers.partition_crossover import PartitionCrossover
    from gpu_ls_plugin.tours.crossovers.tour_crossovers import (
        Cycle,
        EdgeRecombination,
        OrderCrossover,
        PartiallyMapped,
        SegmentCrossover,
    )
    from gpu_ls_plugin.tours.engines.pivoting import Best, First, Multi, RandomK
    from gpu_ls_plugin.tours.filters.base import Everything
    from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
    from gpu_ls_plugin.tours.filters.in_candidates import InCandidates
    from gpu_ls_plugin.tours.filters.lengths import GainBound, Radius
    from gpu_ls_plugin.tours.filters.passes import DontLook, RandomKeep
    from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
    from gpu_ls_plugin.tours.kicks.on_backend import Restart
    from gpu_ls_plugin.tours.many.many import ManyResult, solve_many
    from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan, LinKernighanLead
    from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt
    from gpu_ls_plugin.tours.moves.segment_moves import Exchange, OrOpt, Relocate
    from gpu_ls_plugin.tours.plan.drawing import plot_population, plot_tour
    from gpu_ls_plugin.tours.problem import referee as solution  # noqa: F401
    from gpu_ls_plugin.tours.problem.known_optima import known_optimum
    from gpu_ls_plugin.tours.problem.multi_objective import MultiObjectiveTSP
    from gpu_ls_plugin.tours.problem.open_path import OpenPath
    from gpu_ls_plugin.tours.problem.tsp import TSP
    from gpu_ls_plugin.tours.problem.tsplib import read_tour
    from gpu_ls_plugin.tours.searches.best_moves import BestMoves, best_moves
    from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
    from gpu_ls_plugin.tours.searches.local_search import LocalSearch
    from gpu_ls_plugin.tours.searches.random_restarts import RandomRestarts
    from gpu_ls_plugin.tours.searches.symmetrised import Symmetrised

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
    "Conflicts",
    "Cycle",
    "Decomposed",
    "Detour",
    "Distinct",
    "DontLook",
    "DoubleBridge",
    "EdgeAssembly",
    "EdgeRecombination",
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
    "plot_solution",
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
    "assignment.engines.successor_search": "SuccessorSearch",
    "assignment.heuristics.base": "Heuristic",
    "assignment.heuristics.by_type": "ByType",
    "assignment.heuristics.cheapest_value": "CheapestValue",
    "assignment.heuristics.expression": "Expression",
    "assignment.heuristics.masked": "Mask Masked",
    "assignment.heuristics.masks.capacities": "Capacities",
    "assignment.heuristics.masks.conflicts": "Conflicts Distinct",
    "assignment.heuristics.weight_table": "WeightTable",
    "assignment.plan.fewest_colours": "fewest_colours",
    "assignment.problem.assignment": "Assignment",
    "assignment.problem.generalised_assignment": "GeneralisedAssignment",
    "assignment.problem.graph_colouring": "GraphColouring",
    "assignment.problem.quadratic_assignment": "QuadraticAssignment",
    "assignment.successors.generation": "SuccessorGeneration",
    "core.budget": "Budget",
    "core.exceptions.": "exceptions",
    "core.problem": "Problem",
    "core.progress": "SearchDisplay",
    "core.registry": "registry",
    "core.result": "Progress Result Statistics",
    "distributed": "Islands",
    "drawing.fronts": "plot_fronts",
    "drawing.runs": "animate_run",
    "drawing.solutions": "plot_solution",
    "routes.construction.cheapest_insertion": "cheapest_insertion",
    "routes.construction.one_route_each": "one_route_each",
    "routes.construction.savings": "savings",
    "routes.construction.split": "split",
    "routes.construction.sweep": "sweep",
    "routes.crossovers.route_edge_assembly": "RouteEdgeAssembly",
    "routes.crossovers.route_exchange": "RouteExchange",
    "routes.crossovers.selective_route_exchange": "SelectiveRouteExchange",
    "routes.crossovers.split_crossover": "SplitCrossover",
    "routes.engines.prices": "PricedMigration",
    "routes.moves.between_routes": "SwapStar TwoOptStar",
    "routes.moves.route_moves": "RouteMoves",
    "routes.plan.drawing": "plot_routes",
    "routes.problem.cvrp": "CVRP",
    "routes.removals.ruin_recreate": "RuinRecreate",
    "routes.removals.string_removal": "StringRemoval",
    "routes.searches.decomposition.decomposed": "Decomposed",
    "routes.searches.genetic.hybrid_genetic": "HybridGeneticSearch",
    "runs.acceptance": "Always Annealing Better BetterOrEqual Threshold",
    "runs.observers.": "observers",
    "solver.calls": "plan solve",
    "tours.candidates.alpha": "Alpha",
    "tours.candidates.detour": "Detour",
    "tours.candidates.nearest": "All Nearest",
    "tours.candidates.quadrant": "Quadrant",
    "tours.construction.greedy": "greedy",
    "tours.construction.nearest_neighbour": "nearest_neighbour",
    "tours.construction.random_tours": "random_tours",
    "tours.construction.space_filling_curve": "space_filling_curve",
    "tours.cooperation.migration": "Migration",
    "tours.crossovers.edge_assembly": "EdgeAssembly",
    "tours.crossovers.merging": "Merging",
    "tours.crossovers.partition_crossover": "PartitionCrossover",
    "tours.crossovers.tour_crossovers": (
        "Cycle EdgeRecombination OrderCrossover PartiallyMapped SegmentCrossover"
    ),
    "tours.engines.pivoting": "Best First Multi RandomK",
    "tours.filters.base": "Everything",
    "tours.filters.filtered_neighbourhood": "FilteredNeighbourhood",
    "tours.filters.in_candidates": "InCandidates",
    "tours.filters.lengths": "GainBound Radius",
    "tours.filters.passes": "DontLook RandomKeep",
    "tours.kicks.double_bridge": "DoubleBridge",
    "tours.kicks.on_backend": "Restart",
    "tours.many.many": "ManyResult solve_many",
    "tours.moves.lin_kernighan": "LinKernighan LinKernighanLead",
    "tours.moves.reconnections": "ThreeOpt TwoOpt",
    "tours.moves.segment_moves": "Exchange OrOpt Relocate",
    "tours.plan.drawing": "plot_population plot_tour",
    "tours.problem.known_optima": "known_optimum",
    "tours.problem.multi_objective": "MultiObjectiveTSP",
    "tours.problem.open_path": "OpenPath",
    "tours.problem.referee.": "solution",
    "tours.problem.tsp": "TSP",
    "tours.problem.tsplib": "read_tour",
    "tours.searches.best_moves": "BestMoves best_moves",
    "tours.searches.iterated": "IteratedLocalSearch",
    "tours.searches.local_search": "LocalSearch",
    "tours.searches.random_restarts": "RandomRestarts",
    "tours.searches.symmetrised": "Symmetrised",
    "": (
        "assignment backends cli core distributed drawing evolution experiments extend plugins "
        "routes runs solver testing tours"
    ),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # so that type checkers still report names that do not exist
    __getattr__, __dir__ = lazy_names(__name__, _HOMES, former=former_room)


def _load_plugins() -> None:
    from gpu_ls_plugin.plugins import loader as plugins

    plugins.load_all()


def _search_of(given: object) -> Any:
    from gpu_ls_plugin.plugins.search_text import search_of

    return search_of(given)


def _device_costs(problem: TSP, tours: Any) -> Any:
    from gpu_ls_plugin.backends import arrays, get_backend
    from gpu_ls_plugin.tours.kernels import evaluation

    backend = get_backend("cuda", tours=tours)
    with backend.current():
        return evaluation.added_up_costs(
            backend, problem, arrays.take_tours(backend, problem, tours)
        )


def _search_finished(problem: Problem, search: object, statistics: Statistics) -> None:
    from gpu_ls_plugin.plugins import loader as plugins

    plugins.search_finished(problem, search, statistics)


def _solve(problem: Problem, settings: Settings) -> Result:
    from gpu_ls_plugin.solver.run import solve

    return solve(problem, settings)


upper_layers.load_plugins = _load_plugins
upper_layers.device_costs = _device_costs
upper_layers.search_finished = _search_finished
upper_layers.search_of = _search_of
upper_layers.solve = _solve
