"""The built-in parts for tours, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.runs.acceptance import Always, Annealing, Better, BetterOrEqual, Threshold
from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.detour import Detour
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.candidates.reduced_costs import ReducedCosts
from gpu_ls_plugin.tours.candidates.union import Union
from gpu_ls_plugin.tours.construction.greedy import greedy
from gpu_ls_plugin.tours.construction.nearest_neighbour import nearest_neighbour
from gpu_ls_plugin.tours.construction.random_tours import random_tours
from gpu_ls_plugin.tours.construction.space_filling_curve import space_filling_curve
from gpu_ls_plugin.tours.cooperation.migration import Migration
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from gpu_ls_plugin.tours.crossovers.merging import Merging
from gpu_ls_plugin.tours.crossovers.partition_crossover import PartitionRecombination
from gpu_ls_plugin.tours.crossovers.tour_crossovers import (
    CycleRecombination,
    EdgeRecombination,
    OrderRecombination,
    PartiallyMappedRecombination,
    SegmentRecombination,
)
from gpu_ls_plugin.tours.domain import Tours
from gpu_ls_plugin.tours.engines.pivoting import Best, First, Multi, RandomK
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.filters.move_filters import (
    DontLook,
    Everything,
    GainBound,
    InCandidates,
    Radius,
    RandomKeep,
)
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.kicks.restart import Restart
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan, LinKernighanLead
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import Exchange, OrOpt, Relocate
from gpu_ls_plugin.tours.problem.objective import Length
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch
from gpu_ls_plugin.tours.searches.random_restarts import RandomRestarts
from gpu_ls_plugin.tours.searches.symmetrised import Symmetrised

if TYPE_CHECKING:
    from collections.abc import Mapping

CROSSOVERS = (
    *(EdgeAssembly, EdgeRecombination, PartitionRecombination, OrderRecombination),
    *(PartiallyMappedRecombination, CycleRecombination, SegmentRecombination),
)
PARTS: Mapping[str, tuple[Any, ...]] = {
    "domain": (Tours,),
    "objective": (Length,),
    "candidates": (All, Nearest, Quadrant, Detour, Alpha, ReducedCosts, Union),
    "construction": (random_tours, nearest_neighbour, greedy, space_filling_curve),
    "neighbourhood": (
        *(TwoOpt, OrOpt, ThreeOpt, LinKernighan, LinKernighanLead),
        *(FilteredNeighbourhood, Relocate, Exchange),
    ),
    "filter": (Everything, GainBound, Radius, InCandidates, DontLook, RandomKeep),
    "pivoting": (Best, First, Multi, RandomK),
    "perturbation": (DoubleBridge, Restart),
    "acceptance": (Better, BetterOrEqual, Always, Threshold, Annealing),
    "recombination": CROSSOVERS,
    "cooperation": (Migration, Merging, *CROSSOVERS),
    "search": (LocalSearch, IteratedLocalSearch, Symmetrised, RandomRestarts),
}
