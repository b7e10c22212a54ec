"""The built-in parts, registered through the same hooks as anybody's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.acceptance import Always, Annealing, Better, BetterOrEqual, Threshold
from gpu_ls_plugin.candidates import All, Alpha, Closure, Detour, Nearest, Quadrant, Union
from gpu_ls_plugin.construction import (
    cheapest_insertion,
    greedy,
    nearest_neighbour,
    one_route_each,
    random_tours,
    savings,
    space_filling_curve,
    sweep,
)
from gpu_ls_plugin.filtering import (
    DontLook,
    Everything,
    GainBound,
    InCandidates,
    Radius,
    RandomKeep,
)
from gpu_ls_plugin.heuristics import ByType, CheapestValue, Expression, Masked, WeightTable
from gpu_ls_plugin.hookspecs import hookimpl
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
from gpu_ls_plugin.objectives import Length
from gpu_ls_plugin.perturbations import DoubleBridge, Restart, RuinRecreate, StringRemoval
from gpu_ls_plugin.pivoting import Best, First, Multi, RandomK
from gpu_ls_plugin.problems.metrics import BUILT_IN_METRICS
from gpu_ls_plugin.problems.problem import Problem
from gpu_ls_plugin.resources import Duration, Load
from gpu_ls_plugin.searches import (
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
)
from gpu_ls_plugin.searches.successors import SuccessorSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.hookspecs import Register


@hookimpl
def gpu_ls_register_parts(register: Register) -> None:
    """Enter every part that the library brings."""
    for name, metric in BUILT_IN_METRICS.items():
        register("metric", name, metric)
    register("objective", Length.name, Length)
    for resource in (Load, Duration):
        register("resource", resource.name, resource)
    for heuristic in (WeightTable, Expression, CheapestValue, Masked, ByType):
        register("heuristic", heuristic.name, heuristic)
    for candidates in (All, Nearest, Quadrant, Detour, Alpha, Union, Closure):
        register("candidates", candidates.__name__.lower(), candidates)
    for_tours = (random_tours, nearest_neighbour, greedy, space_filling_curve)
    for_routes = (one_route_each, savings, cheapest_insertion, sweep)
    for construct in (*for_tours, *for_routes):
        register("construction", construct.__name__, construct)
    for neighbourhood in (
        TwoOpt,
        OrOpt,
        ThreeOpt,
        LinKernighan,
        LinKernighanLead,
        FilteredNeighbourhood,
        Relocate,
        Exchange,
        TwoOptStar,
        SwapStar,
        RouteMoves,
    ):
        register("neighbourhood", neighbourhood.name, neighbourhood)
    for test in (Everything, GainBound, Radius, InCandidates, DontLook, RandomKeep):
        register("filter", test.name, test)
    for rule in (Best, First, Multi, RandomK):
        register("pivoting", rule.name, rule)
    for kick in (DoubleBridge, Restart, RuinRecreate, StringRemoval):
        register("perturbation", kick.name, kick)
    for acceptance in (Better, BetterOrEqual, Always, Threshold, Annealing):
        register("acceptance", acceptance.name, acceptance)
    of_edges = (EdgeAssembly, EdgeRecombination, PartitionCrossover)
    of_orders = (OrderCrossover, PartiallyMapped, Cycle, SegmentCrossover)
    of_routes = (SplitCrossover, SelectiveRouteExchange, RouteEdgeAssembly)
    crossovers = (*of_edges, *of_orders, *of_routes)
    for recombination in crossovers:
        register("recombination", recombination.name, recombination)
    for cooperation in (
        Migration,
        PricedMigration,
        EliteEdges,
        RouteExchange,
        Merging,
        *crossovers,
    ):
        register("cooperation", cooperation.name, cooperation)
    of_tours = (LocalSearch, IteratedLocalSearch, Symmetrised, RandomRestarts)
    for search in (*of_tours, Decomposed, HybridGeneticSearch, SuccessorSearch):
        register("search", search.name, search)


@hookimpl
def gpu_ls_problem_from(obj: object) -> Problem | None:
    """Return what is one of our problems already."""
    return obj if isinstance(obj, Problem) else None
