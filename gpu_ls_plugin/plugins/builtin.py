"""The built-in parts, registered through the same hooks as anybody's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin import (
    acceptance,
    candidates,
    construction,
    cooperation,
    filtering,
    heuristics,
    neighbourhoods,
    perturbations,
    pivoting,
    recombination,
    resources,
    searches,
)
from gpu_ls_plugin.hookspecs import hookimpl
from gpu_ls_plugin.objectives import Length
from gpu_ls_plugin.problems.metrics import BUILT_IN_METRICS
from gpu_ls_plugin.problems.problem import Problem
from gpu_ls_plugin.searches import successors

if TYPE_CHECKING:
    from gpu_ls_plugin.hookspecs import Register


CROSSOVERS = (
    "EdgeAssembly EdgeRecombination PartitionCrossover OrderCrossover PartiallyMapped Cycle "
    "SegmentCrossover SplitCrossover SelectiveRouteExchange RouteEdgeAssembly"
)
# Where the parts of each kind are, in the order in which they are listed.
PARTS = (
    ("resource", resources, "Load Duration"),
    ("heuristic", heuristics, "WeightTable Expression CheapestValue Masked ByType"),
    ("candidates", candidates, "All Nearest Quadrant Detour Alpha Union Closure"),
    (
        "construction",
        construction,
        "random_tours nearest_neighbour greedy space_filling_curve "
        "one_route_each savings cheapest_insertion sweep",
    ),
    (
        "neighbourhood",
        neighbourhoods,
        "TwoOpt OrOpt ThreeOpt LinKernighan LinKernighanLead FilteredNeighbourhood Relocate "
        "Exchange TwoOptStar SwapStar RouteMoves",
    ),
    ("filter", filtering, "Everything GainBound Radius InCandidates DontLook RandomKeep"),
    ("pivoting", pivoting, "Best First Multi RandomK"),
    ("perturbation", perturbations, "DoubleBridge Restart RuinRecreate StringRemoval"),
    ("acceptance", acceptance, "Better BetterOrEqual Always Threshold Annealing"),
    ("recombination", recombination, CROSSOVERS),
    ("cooperation", cooperation, "Migration PricedMigration EliteEdges"),
    ("cooperation", recombination, f"RouteExchange Merging {CROSSOVERS}"),
    ("search", searches, "LocalSearch IteratedLocalSearch Symmetrised RandomRestarts"),
    ("search", searches, "Decomposed HybridGeneticSearch"),
    ("search", successors, "SuccessorSearch"),
)


@hookimpl
def gpu_ls_register_parts(register: Register) -> None:
    """Enter every part that the library brings."""
    for name, metric in BUILT_IN_METRICS.items():
        register("metric", name, metric)
    register("objective", Length.name, Length)
    for kind, package, names in PARTS:
        for own in names.split():
            part = getattr(package, own)
            register(kind, getattr(part, "name", own.lower()), part)


@hookimpl
def gpu_ls_problem_from(obj: object) -> Problem | None:
    """Return what is one of our problems already."""
    return obj if isinstance(obj, Problem) else None
