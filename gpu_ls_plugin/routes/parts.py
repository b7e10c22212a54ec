"""Built-in parts of vehicle routing, which the registry lists by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.routes.construction.cheapest_insertion import cheapest_insertion
from gpu_ls_plugin.routes.construction.one_route_each import one_route_each
from gpu_ls_plugin.routes.construction.savings import savings
from gpu_ls_plugin.routes.construction.sweep import sweep
from gpu_ls_plugin.routes.crossovers.route_edge_assembly import RouteEdgeAssembly
from gpu_ls_plugin.routes.crossovers.split_crossover import SplitRecombination
from gpu_ls_plugin.routes.domain import Routes
from gpu_ls_plugin.routes.engines.prices import PricedMigration
from gpu_ls_plugin.routes.moves.between_routes import RouteMoves, SwapStar
from gpu_ls_plugin.routes.problem.resources.duration import Duration
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.routes.problem.resources.time_windows import TimeWindows
from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
from gpu_ls_plugin.routes.searches.decomposition.decomposed import Decomposed
from gpu_ls_plugin.routes.searches.genetic.hybrid_genetic import HybridGeneticSearch

if TYPE_CHECKING:
    from collections.abc import Mapping

CROSSOVERS = (SplitRecombination, RouteEdgeAssembly)
PARTS: Mapping[str, tuple[Any, ...]] = {
    "domain": (Routes,),
    "resource": (Load, Duration, TimeWindows),
    "construction": (one_route_each, savings, cheapest_insertion, sweep),
    "neighbourhood": (SwapStar, RouteMoves),
    "perturbation": (StringRemoval,),
    "recombination": CROSSOVERS,
    "cooperation": (PricedMigration, *CROSSOVERS),
    "search": (Decomposed, HybridGeneticSearch),
}
