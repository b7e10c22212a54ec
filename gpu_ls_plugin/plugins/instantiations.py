"""The kernels that the compile check compiles: each part at least once.

Any other combination of parts is compiled when it is first used.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.engines import kernels as assigned
from gpu_ls_plugin.assignment.engines.improvements import Accepted, EjectionChains, Tabu, Tenure
from gpu_ls_plugin.assignment.heuristics.by_type import ByType
from gpu_ls_plugin.assignment.heuristics.cheapest_value import CheapestValue
from gpu_ls_plugin.assignment.heuristics.masked import Masked
from gpu_ls_plugin.assignment.heuristics.masks.capacities import Capacities
from gpu_ls_plugin.assignment.heuristics.masks.conflicts import Conflicts, Distinct
from gpu_ls_plugin.assignment.heuristics.weight_table import WeightTable
from gpu_ls_plugin.assignment.problem.generalised_assignment import GeneralisedAssignment
from gpu_ls_plugin.assignment.problem.graph_colouring import GraphColouring
from gpu_ls_plugin.assignment.problem.quadratic_assignment import QuadraticAssignment
from gpu_ls_plugin.assignment.successors.generation import SuccessorGeneration
from gpu_ls_plugin.backends import arrays, tuning
from gpu_ls_plugin.routes.construction import kernels as routes
from gpu_ls_plugin.routes.crossovers import route_edge_assembly
from gpu_ls_plugin.routes.crossovers.route_exchange import exchanging
from gpu_ls_plugin.routes.engines import linked_descent
from gpu_ls_plugin.routes.engines.linked_chains import string_kernel
from gpu_ls_plugin.routes.engines.rebuilt_chains import rebuilt_kernel, rebuilt_shape
from gpu_ls_plugin.routes.kernels.linked_rows import LinkedShape, most_rows
from gpu_ls_plugin.routes.moves.between_routes import SwapStar, TwoOptStar
from gpu_ls_plugin.routes.moves.route_moves import RouteMoves
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.routes.removals import ruin_recreate
from gpu_ls_plugin.runs.acceptance import Always, Annealing, Better, BetterOrEqual, Threshold
from gpu_ls_plugin.tours.construction.greedy import follow_links_kernel, greedy_edges_kernel
from gpu_ls_plugin.tours.construction.nearest_neighbour import (
    BLOCK_THREADS,
    nearest_neighbour_kernel,
)
from gpu_ls_plugin.tours.construction.random_tours import random_tours_kernel
from gpu_ls_plugin.tours.crossovers import assembly_layouts, edge_assembly, pair_layouts
from gpu_ls_plugin.tours.crossovers.assembly_layouts import STRATEGIES
from gpu_ls_plugin.tours.crossovers.partition_crossover import PartitionRecombination
from gpu_ls_plugin.tours.crossovers.tour_crossovers import (
    CycleRecombination,
    EdgeRecombination,
    OrderRecombination,
    PartiallyMappedRecombination,
    SegmentRecombination,
)
from gpu_ls_plugin.tours.engines.chains import chain_layouts, parted
from gpu_ls_plugin.tours.engines.chains.chain_kernel import TOUR_PART, chain_kernel
from gpu_ls_plugin.tours.engines.descent import descent_layouts
from gpu_ls_plugin.tours.engines.descent.best_sweep import (
    keep_kernel,
    positions_kernel,
    sweep_kernels,
)
from gpu_ls_plugin.tours.engines.descent.city_descent import descent_kernel, multi_descent_kernel
from gpu_ls_plugin.tours.engines.exhaustive import random_k, three_opt_climb, two_opt_climb
from gpu_ls_plugin.tours.engines.filtered.filtered_kernels import FilteredKernels
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.filters.move_filters import (
    DontLook,
    Everything,
    GainBound,
    InCandidates,
    Radius,
    RandomKeep,
)
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.kernels.evaluation import tour_cost_kernel
from gpu_ls_plugin.tours.kernels.sites import GRID_BYTES, GRID_METRICS, sites_kernel
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge, double_bridge_kernel
from gpu_ls_plugin.tours.many import instances
from gpu_ls_plugin.tours.moves.composed import CHECKED, Moves, chain_needs
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan, LinKernighanLead
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import Exchange, OrOpt, Relocate
from gpu_ls_plugin.tours.problem.metric_check import pair_lengths_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import RowsUnder, Under
from gpu_ls_plugin.tours.problem.metrics import BUILT_IN_METRICS, ROOTLESS
from gpu_ls_plugin.tours.problem.tchebycheff import Tchebycheff
from gpu_ls_plugin.tours.problem.weighted import WeightedSum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.crossovers.pair_recombination import PairRecombination
    from gpu_ls_plugin.tours.filters.base import Filter
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.metrics import Metric

WARP, BLOCK = "gls::Warp<4>", "gls::Block<256>"
SHARED = tuning.SHARED_MEMORY[90]
CITIES = (1000, 100_000)  # for shared and for global memory
TOURS = (1, 64)  # per multiprocessor
USUAL = (TwoOpt(), OrOpt(3))
ROUTE_MOVES = (TwoOpt(), Relocate(3), Exchange(2, 2), TwoOptStar())
ALL_ROUTE_MOVES = (*ROUTE_MOVES, SwapStar())
MOVES = (USUAL, (ThreeOpt(),), (LinKernighan(3),), (LinKernighan(),), (LinKernighanLead(),))

SHALLOW, DEEP = (LinKernighan(3),), (LinKernighan(),)
WINDOW, WALK = DoubleBridge(), DoubleBridge(walk=5)
# Moves, grid, kick and acceptance rule, with EUC_2D.
CHAINS: tuple[tuple[Sequence[Neighbourhood], str, DoubleBridge, Acceptance], ...] = (
    (SHALLOW, "wide", WALK, Threshold()),
    (SHALLOW, "", WINDOW, Always()),
    (DEEP, "fine", WINDOW, BetterOrEqual()),
    (USUAL, "fine", WALK, Better()),
)
# Cities for each layout of chains: a block of 10 warps on a multiprocessor, with registers for all
# parts; a tour in global memory; two blocks of 16 warps.
CHAIN_CITIES = (5000, 100_000, 1000)
PART, INSTANCE = 800, 100  # cities

# Crossovers that do not depend on lengths.
PAIR_CROSSOVERS = (
    EdgeRecombination(),
    OrderRecombination(),
    PartiallyMappedRecombination(),
    CycleRecombination(),
    SegmentRecombination(),
)
# Metric, cities, type of lengths and grid of crossovers that depend on lengths.
ASSEMBLIES = (("EUC_2D", 1000, "int", "fine"), ("EUC", 100_000, "double", ""))


# Parts that their kernels do not name, by kernel: pivoting rules, searches, cooperations.
ENGINES = {
    "descent": ("first", "local_search"),
    "multi_descent": ("multi", "local_search"),
    "evaluate_chunks": ("best", "local_search"),
    "take_best": ("best", "local_search"),
    "two_opt_climb": ("two_opt", "best", "local_search"),
    "three_opt_tiles": ("three_opt", "best", "local_search"),
    "three_opt_moves": ("three_opt", "best", "local_search"),
    "random_k_evaluation": ("random_k", "local_search"),
    "random_k_replacement": ("random_k", "local_search"),
    "chain": ("first", "iterated_local_search"),
    "random_tours": ("restart", "random_restarts"),
    "edge_assembly": ("edge_assembly",),
    "order_recombination": ("split_recombination",),
    "split": ("split_recombination",),
    "instance_lists": ("local_search",),
    "instance_cost": ("local_search",),
}


def instantiations() -> list[Kernel]:
    """Return the CUDA kernels that the compile check compiles."""
    kernels = [
        greedy_edges_kernel(WARP),
        follow_links_kernel(WARP),
        random_tours_kernel(WARP),
        double_bridge_kernel(WARP),
        positions_kernel(BLOCK),
        arrays.take_kernel(BLOCK),
        parted.unroll_kernel(WARP),
        parted.write_kernel(WARP),
        *_weighted(),
        *_routing(),
        *_successors(),
        *routes.kernels(BUILT_IN_METRICS["EUC_2D"](), BUILT_IN_METRICS["EUC"](), WARP),
    ]
    usual = BUILT_IN_METRICS["EUC_2D"]()
    kernels += (_pair_crossover(part, usual, CITIES[0]) for part in PAIR_CROSSOVERS)
    for metric in (make() for make in BUILT_IN_METRICS.values()):
        kernels += metric_kernels(metric)
    return [
        replace(kernel, parts=(*kernel.parts, *ENGINES.get(kernel.name, ())))
        for kernel in dict.fromkeys(kernels)
    ]


def metric_kernels(metric: Metric) -> Iterator[Kernel]:
    """Compose the kernels of a metric; plugins list their metrics with it."""
    block = f"gls::Block<{BLOCK_THREADS}>"
    yield tour_cost_kernel(metric, WARP)
    main = metric.name == "EUC_2D"
    if main:
        yield nearest_neighbour_kernel(metric, block)
        yield pair_lengths_kernel(metric, BLOCK)
    for n in CITIES if main else CITIES[:1]:
        for tours in TOURS if main else TOURS[1:]:
            shape = two_opt_climb.climb_shape(n, tours, SHARED, metric.fast_estimate)
            yield two_opt_climb.block_kernel(metric, shape)
    if metric.name in ROOTLESS:  # kernels without square roots need fewer registers
        return
    yield nearest_neighbour_kernel(metric, WARP)
    yield from _descents(metric)
    yield from _chains(metric)
    yield from _filtered(metric)
    yield from _crossovers(metric)
    yield from _instances(metric)


LAYOUTS = (
    ("warp", 1000, 16),
    ("block", 1000, 1),
    ("global", 100_000, 1),
)  # name, cities, and tours per multiprocessor


def _descents(metric: Metric) -> Iterator[Kernel]:
    """Yield descents by the default moves; for EUC_2D, in each layout and by all other moves."""
    length, main = "int" if metric.integer else "double", metric.name == "EUC_2D"
    grid = "fine" if metric.name in GRID_METRICS else ""
    yield sites_kernel(metric, "gls::Block<1024>")
    for moves in MOVES if main else MOVES[:1]:
        composed = Moves.of(moves, symmetric=True, length=length, grid=grid)
        for layout, n, tours in LAYOUTS if main and moves == USUAL else LAYOUTS[:1]:
            shape = descent_layouts.descent_shape(n, tours, SHARED, layout)
            yield descent_kernel(metric, composed, shape.team, shape.memory)
    if main:
        steps = Moves.of((LinKernighanLead(),), symmetric=True, length=length, by_step=True)
        yield descent_kernel(metric, steps, WARP, "gls::SharedMemory<false>")
        composed = Moves.of(USUAL, symmetric=True, length=length, grid=grid)
        yield from sweep_kernels(metric, composed, "gls::Block<128>", BLOCK)
        for parts, layout in ((USUAL, "auto"), (USUAL, "global"), (DEEP, "auto")):
            many = Moves.of(parts, symmetric=True, length=length, grid=grid)
            needs = chain_needs(metric, many, parts)
            shape = descent_layouts.multi_shape(1000, SHARED, needs, layout)
            yield multi_descent_kernel(metric, many, shape.team, shape.memory)
        for in_shared in (True, False):
            yield random_k.evaluation_kernel(metric, 0, in_shared)
        yield random_k.replacement_kernel(metric)
    if metric.name in ("EUC_2D", "EUC"):
        for bar in three_opt_climb.BARS if main else three_opt_climb.BARS[:1]:
            yield three_opt_climb.tiles_kernel(metric, length, *bar)
    if main:
        yield three_opt_climb.moves_kernel(metric, length, *three_opt_climb.BARS[0])
    if main:  # as if the moves were foreign
        ours = Moves.of([OrOpt(3)], symmetric=True, length=length)
        checked = f"gls::Checked<{ours.functor}, 1>"
        theirs = replace(ours, functor=checked, headers=(*ours.headers, CHECKED))
        yield descent_kernel(metric, theirs, WARP, "gls::SharedMemory<false>")
    if metric.name == "EXPLICIT":
        one_way = Moves.of([OrOpt(3), ThreeOpt()], symmetric=False, length=length)
        yield descent_kernel(metric, one_way, WARP, "gls::SharedMemory<false>")
        wide = Moves.of(USUAL, symmetric=True, length="gls::int64")
        yield descent_kernel(metric, wide, WARP, "gls::GlobalMemory")


def _chains(metric: Metric) -> Iterator[Kernel]:
    """Yield chains of default parts; for EUC_2D, in each layout and with all other parts."""
    length, main = "int" if metric.integer else "double", metric.name == "EUC_2D"
    grid = "fine" if metric.name in GRID_METRICS else ""
    for kind in ("fine", "wide") if main else filter(None, (grid,)):
        yield sites_kernel(metric, "gls::Block<1024>", kind)

    def chains(
        n: int,
        parts: Sequence[Neighbourhood],
        kind: str,
        kick: DoubleBridge,
        rule: Acceptance,
        choose: Callable[..., Any] = partial(chain_layouts.chain_shape, tours=64),
        **scope: str,
    ) -> Kernel:
        moves = Moves.of(parts, symmetric=True, length=length, grid=kind)
        needs = chain_needs(metric, moves, parts)
        shape = choose(n, shared_memory=SHARED, needs=needs)
        return chain_kernel(metric, moves, kick, rule, shape, **scope)

    usual = (SHALLOW, grid, WINDOW, Annealing())
    if metric.name in ("ATT", "CEIL_2D", "FLOOR_2D"):  # they need no more than EUC_2D
        return
    if not main:
        yield chains(CHAIN_CITIES[0], *usual)
        return
    for n in CHAIN_CITIES:
        yield chains(n, *usual)
    for parts, kind, kick, rule in CHAINS:
        yield chains(CHAIN_CITIES[0], parts, kind, kick, rule)
    yield chains(PART, *usual, choose=chain_layouts.part_shape, scope=TOUR_PART)
    for kind in ("fine", ""):
        lists = Moves.of(USUAL, symmetric=True, length=length, grid=kind).lists
        yield parted.make_part_kernel(lists, WARP)


def _crossovers(metric: Metric) -> Iterator[Kernel]:
    """Yield crossovers of tours in shared memory, and with real lengths in global memory."""
    for name, n, length, grid in ASSEMBLIES:
        if metric.name == name:
            for strategy in ("single", "block") if metric.integer else ("single",):
                chosen = STRATEGIES[strategy]
                layout = assembly_layouts.assembly_shape(n, 64, SHARED, chosen)
                yield edge_assembly.assembly_kernel(metric, length, grid, layout, chosen)
            yield _pair_crossover(PartitionRecombination(), metric, n)


def _pair_crossover(part: PairRecombination, metric: Metric, n: int) -> Kernel:
    own = part.pair_bytes(n, 2)
    return part.kernel(metric, pair_layouts.pair_shape(n, own, 64, SHARED))


def _instances(metric: Metric) -> Iterator[Kernel]:
    """Yield kernels for many instances at once, whose lengths are real by default."""
    if metric.name != "EUC":
        return
    moves = Moves.of(SHALLOW, symmetric=True, length="double")
    yield instances.lists_kernel(metric, moves, instances.LIST_TEAMS["cuda"], instances.DEGREE)
    yield instances.cost_kernel(metric, WARP)
    needs = chain_needs(metric, moves, SHALLOW)
    shape = chain_layouts.part_shape(INSTANCE, SHARED, needs)
    yield chain_kernel(metric, moves, WINDOW, Annealing(), shape, TOUR_PART)


def _weighted() -> Iterator[Kernel]:
    """Yield kernels for rows with their own weights of two objectives, a matrix and a plane."""
    metric = WeightedSum((BUILT_IN_METRICS["EUC_2D"](), BUILT_IN_METRICS["EXPLICIT"]()))
    moves = Moves.of(SHALLOW, symmetric=True, length="double")
    yield tour_cost_kernel(metric, WARP)
    yield sites_kernel(metric, "gls::Block<1024>")
    functors = tuple(part.functor for part in metric.metrics)
    distances = RowsUnder(metric, Tchebycheff(np.ones((1, 2)), np.zeros(2), functors))
    for lengths, tours in ((metric, 16), (distances, 1)):  # for warps, and for blocks
        shape = descent_layouts.descent_shape(CITIES[0], tours, SHARED)
        yield descent_kernel(lengths, moves, shape.team, shape.memory)
        needs = chain_needs(lengths, moves, SHALLOW)
        layout = chain_layouts.chain_shape(CITIES[0], 64, SHARED, needs=needs)
        yield chain_kernel(lengths, moves, WINDOW, Annealing(), layout)
    pairs = assembly_layouts.assembly_shape(CITIES[0], 64, SHARED)
    yield edge_assembly.assembly_kernel(metric, "double", "", pairs)
    yield _pair_crossover(PartitionRecombination(), metric, CITIES[0])


def _routing() -> Iterator[Kernel]:
    """Yield searches of routes with hard integer constraints, and with soft real ones."""
    nodes, demands = ((0, 0), (0, 3), (4, 0)), (0, 1, 1)
    hard = CVRP(nodes, demands, 2)
    soft = CVRP(nodes, demands, 2, metric="EUC", route_limit=9).penalised()
    for problem, parts, length, grid, n in (
        (hard, ROUTE_MOVES, "int", "fine", CITIES[0]),
        (hard, ALL_ROUTE_MOVES, "int", "fine", CITIES[0]),
        (soft, ROUTE_MOVES, "double", "", 5000),
        (soft, ALL_ROUTE_MOVES, "double", "", 5000),
    ):
        lengths, time = problem.nodes.metric, "gls::int64" if problem.integer else "double"
        yield ruin_recreate.ruin_kernel(lengths, WARP, time)
        if parts is ROUTE_MOVES:
            site = GRID_BYTES.get(grid, tour_layouts.SITE_BYTES)
            shape = LinkedShape.of(problem, most_rows(problem), SHARED, site)
            yield string_kernel(Annealing(), problem, grid, length, time, shape)
            for linked in ((RouteMoves(),), (RouteMoves(), SwapStar())):
                yield linked_descent.descent_kernel(
                    problem, grid, length, time, shape, neighbourhoods=linked
                )
        cities = n if problem.integer else CITIES[1]  # in global memory
        own = route_edge_assembly.pair_bytes(cities, 2, cities - cities // 20)
        pairs = pair_layouts.pair_shape(cities, own, 64, SHARED)
        yield route_edge_assembly.assembly_kernel(lengths, pairs)
        objective = Routing(problem)
        metric, kick = Under(lengths, objective), exchanging(lengths, time, {})
        moves = Moves.of(parts, symmetric=True, length=length, grid=grid)
        needs = chain_needs(metric, moves, parts)
        descents = descent_layouts.descent_shape(n, 16, SHARED, needs=needs)
        together = descent_layouts.multi_shape(n, SHARED, needs, "auto")
        rebuilt = rebuilt_shape(CITIES[0], 16, SHARED, needs)
        chains = chain_layouts.chain_shape(n, 64, SHARED, needs=needs)
        whole = FilteredNeighbourhood(ThreeOpt(), Everything())
        filtered = FilteredKernels(whole, metric, length, grid)
        resources = tuple(part.name for part in objective.resources)
        for kernel in (
            descent_kernel(metric, moves, descents.team, descents.memory),
            keep_kernel(metric, BLOCK),
            *sweep_kernels(metric, moves, "gls::Block<128>", BLOCK),
            multi_descent_kernel(metric, moves, together.team, together.memory),
            chain_kernel(metric, moves, WINDOW, Annealing(), chains),
            rebuilt_kernel(metric, moves, kick, Annealing(), rebuilt),
            *filtered.evaluation("whole"),
            filtered.step("TakeFiltered"),
        ):
            yield replace(kernel, parts=(*kernel.parts, *resources))


def _successors() -> Iterator[Kernel]:
    """Yield each sampler and order, for a warp and for blocks, with both memories."""
    table = WeightTable(np.ones((1, 1), np.uint32))
    masked = Masked(table, Conflicts([(0, 1)]), Capacities([1], [1]), Distinct())
    cheapest = CheapestValue(problem=GraphColouring(2, [(0, 1)], 1))
    by_type = ByType([cheapest, masked, table], [0, 1])
    yield SuccessorGeneration(table, "rescan").kernel("given", WARP)
    yield SuccessorGeneration(table, "stored").kernel("shuffled", BLOCK, "gls::BlockMemory")
    yield SuccessorGeneration(masked, "rescan").kernel("shuffled", WARP)
    yield SuccessorGeneration(cheapest, "rescan").kernel("given", WARP)
    yield SuccessorGeneration(by_type, "stored").kernel("given", BLOCK)
    problems = (
        GraphColouring(2, [(0, 1)], 1),
        GeneralisedAssignment([[1]], [[1]], [1]),
        QuadraticAssignment([[0]], [[0]]),
    )
    tabu, chains = Tabu((Tenure(1, 1, 0.0),), 1), EjectionChains(1)
    for problem, rule in zip(problems, assigned.RULES, strict=True):
        yield tabu.kernel(problem, BLOCK)
        yield Accepted(Annealing(), 1, 1).kernel(problem, BLOCK)
        yield assigned.release_kernel(problem, rule, BLOCK)
    yield chains.kernel(problems[1], "gls::Warp<1>")


def _filtered(metric: Metric) -> Iterator[Kernel]:
    """Yield each mode, filter, mapping and step of filtered moves at least once."""
    if metric.name not in ("EUC_2D", "EUC"):
        return

    def kernels(neighbourhood: Neighbourhood, test: Filter, mapping: str) -> FilteredKernels:
        part = FilteredNeighbourhood(neighbourhood, test, mapping=mapping)
        length, grid = ("int", "fine") if metric.integer else ("double", "")
        return FilteredKernels(part, metric, length, grid)

    bound = GainBound()
    if metric.name == "EUC":
        yield kernels(TwoOpt(), bound, "roots").evaluation("openings")[1]
        return
    yield from kernels(TwoOpt(), Everything(), "cut_triangle").evaluation("masked")
    yield from kernels(ThreeOpt(), RandomKeep(), "roots").evaluation("fused")
    yield from kernels(ThreeOpt(), ~DontLook() | Radius(1.0), "roots").evaluation("masked")
    openings = kernels(ThreeOpt(), bound & InCandidates(), "lexicographic")
    yield from openings.evaluation("openings", sink="Following")
    for step in ("TakeFiltered", "NoteFiltered"):
        yield openings.step(step)


def neighbourhood_kernels(part: Neighbourhood) -> Iterator[Kernel]:
    """Compose a descent by a neighbourhood; plugins list their neighbourhoods with it."""
    moves = Moves.of([part], symmetric=True, length="int")
    shape = descent_layouts.descent_shape(CITIES[0], 16, SHARED)
    yield descent_kernel(BUILT_IN_METRICS["EUC_2D"](), moves, shape.team, shape.memory)


def filter_kernels(test: Filter) -> Iterator[Kernel]:
    """Compose the evaluation of filtered 2-opt moves; plugins list their filters with it."""
    part = FilteredNeighbourhood(TwoOpt(), test & GainBound())
    yield from FilteredKernels(part, BUILT_IN_METRICS["EUC_2D"](), "int").evaluation("openings")
