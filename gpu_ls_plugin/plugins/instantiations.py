"""The kernels that the compile check compiles; they contain each part at least once.

Any other combination of parts is compiled when it is first used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin import assignment, routes, tours
from gpu_ls_plugin.assignment.engines import kernels as assigned
from gpu_ls_plugin.assignment.engines.improvements import Accepted, EjectionChains, Tabu, Tenure
from gpu_ls_plugin.assignment.successors.layouts import MEMORIES
from gpu_ls_plugin.backends import arrays, tuning
from gpu_ls_plugin.plugins.sequence_instantiations import all_sequence_kernels
from gpu_ls_plugin.routes.construction import kernels as constructed
from gpu_ls_plugin.routes.construction.batch import VehiclesType
from gpu_ls_plugin.routes.construction.cheapest_insertion import insertion_kernel
from gpu_ls_plugin.routes.construction.split import split_kernel
from gpu_ls_plugin.routes.crossovers import route_edge_assembly
from gpu_ls_plugin.routes.engines import linked_descent
from gpu_ls_plugin.routes.engines.linked_chains import string_kernel
from gpu_ls_plugin.routes.kernels.linked_layouts import LinkedShape, most_rows
from gpu_ls_plugin.routes.kernels.linked_rows import OWN_INSTANCE, LinkedTypes
from gpu_ls_plugin.routes.many import kernels as many_routes
from gpu_ls_plugin.routes.many.instances import RowsOfInstances
from gpu_ls_plugin.routes.many.layouts import OwnRowsShape
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.tours.construction import greedy, nearest_neighbour
from gpu_ls_plugin.tours.construction.random_tours import random_tours_kernel
from gpu_ls_plugin.tours.crossovers import assembly_layouts, edge_assembly, pair_layouts
from gpu_ls_plugin.tours.engines.chains import chain_layouts, parted
from gpu_ls_plugin.tours.engines.chains.chain_kernel import chain_kernel
from gpu_ls_plugin.tours.engines.chains.random_k_chains import random_k_chain_kernel
from gpu_ls_plugin.tours.engines.descent import best_sweep, descent_layouts
from gpu_ls_plugin.tours.engines.descent.city_descent import descent_kernel, multi_descent_kernel
from gpu_ls_plugin.tours.engines.exhaustive import random_k, three_opt_climb, two_opt_climb
from gpu_ls_plugin.tours.engines.exhaustive.random_k import RandomKShape
from gpu_ls_plugin.tours.engines.filtered.filtered_kernels import FilteredKernels
from gpu_ls_plugin.tours.engines.scopes import TOUR_PART
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.kernels.evaluation import tour_cost_kernel
from gpu_ls_plugin.tours.kernels.sites import GRID_BYTES, GRID_METRICS, sites_kernel
from gpu_ls_plugin.tours.kicks.double_bridge import double_bridge_kernel
from gpu_ls_plugin.tours.many import crossing, instances
from gpu_ls_plugin.tours.moves.composed import CHECKED, Moves, chain_needs
from gpu_ls_plugin.tours.problem.metric_check import pair_lengths_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import RowsUnder, Under
from gpu_ls_plugin.tours.problem.metrics import BUILT_IN_METRICS, ROOTLESS
from gpu_ls_plugin.tours.problem.weighted import Tchebycheff, WeightedSum
from gpu_ls_plugin.tours.tensors.kernels import kernels_of
from gpu_ls_plugin.tours.tensors.own_metrics import metric_of
from gpu_ls_plugin.tours.tensors.search_parts import search_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.crossovers.pair_recombination import PairRecombination
    from gpu_ls_plugin.tours.filters.base import Filter
    from gpu_ls_plugin.tours.kernels.tour_layouts import ChainNeeds
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.metrics import Metric

    Parts = Sequence[Neighbourhood]

WARP, BLOCK, CITY_BLOCK = "gls::Warp<4>", "gls::Block<256>", "gls::Block<1024>"
IN_SHARED = "gls::SharedMemory<false>"
SHARED = tuning.SHARED_MEMORY[90]  # maximum bytes of shared memory of a block on sm_90
CITIES = (1000, 100_000)  # numbers of cities for tours in shared and in global memory
# Numbers of cities for which one lane, or a group of lanes, climbs if there are many tours per
# multiprocessor; other metrics have climbs of blocks.
MANY_TOURS = 2000
SHORT_TOURS = {"CEIL_2D": 10, "FLOOR_2D": 50, "ATT": 200, "EUC": 100, "HAVERSINE": 50}
TOURS = (1, 64)  # numbers of tours per multiprocessor
# Layouts of descents: name, number of cities, and number of tours per multiprocessor.
LAYOUTS = (("warp", 1000, 16), ("block", 1000, 1), ("global", 100_000, 1))
USUAL = (tours.TwoOpt(), tours.OrOpt(3))
SHALLOW, DEEP = (tours.LinKernighan(3),), (tours.LinKernighan(),)
STEPS = (tours.LinKernighanLead(),)
ROUTE_MOVES = (tours.TwoOpt(), tours.Relocate(3), tours.Exchange(2, 2))  # on `All()`
MOVES: tuple[Parts, ...] = (USUAL, (tours.ThreeOpt(),), SHALLOW, DEEP, STEPS)
WINDOW, WALK = tours.DoubleBridge(), tours.DoubleBridge(walk=5)
# Moves, grid, kick and acceptance rule of chains with EUC_2D.
CHAINS: tuple[tuple[Parts, str, tours.DoubleBridge, Acceptance], ...] = (
    (SHALLOW, "wide", WALK, tours.Threshold()),
    (SHALLOW, "", WINDOW, tours.Always()),
    (DEEP, "fine", WINDOW, tours.BetterOrEqual()),
    (USUAL, "fine", WALK, tours.Better()),
)
# Number of cities for each layout of chains: one block of 10 warps per multiprocessor, with enough
# registers for all parts; tours in global memory; two blocks of 16 warps per multiprocessor.
CHAIN_CITIES = (5000, 100_000, 1000)
# Layouts of random-k-best improvement: clusters, blocks, and clusters with tours in global memory.
RANDOM_K = (
    RandomKShape("gls::Cluster<512, 8>", IN_SHARED, 8, 0),
    RandomKShape("gls::Block<256>", IN_SHARED, 1, 0, 3),
    RandomKShape("gls::Cluster<512, 2>", "gls::GlobalMemory", 2, 0),
)
PART, INSTANCE = 800, 100  # number of cities of a part of a tour, and of one of many instances
# Crossovers that do not depend on lengths.
PAIR_CROSSOVERS = (
    tours.EdgeRecombination(),
    tours.OrderRecombination(),
    tours.PartiallyMappedRecombination(),
    tours.CycleRecombination(),
    tours.SegmentRecombination(),
)
# Parts that the source of a kernel does not name (pivoting rules, searches, crossovers), by kernel.
ENGINES = {
    "descent": ("first", "local_search"),
    "multi_descent": ("multi", "local_search"),
    "two_opt_climb": ("two_opt", "best", "local_search"),
    **dict.fromkeys(("evaluate_chunks", "take_best"), ("best", "local_search")),
    **dict.fromkeys(("three_opt_tiles", "three_opt_moves"), ("three_opt", "best", "local_search")),
    "random_k": ("random_k", "local_search"),
    "random_k_chain": ("random_k", "iterated_local_search"),
    **dict.fromkeys(("instance_lists", "instance_cost"), ("local_search",)),
    **dict.fromkeys(("own_lists", "check_instance", "take_row"), ("local_search",)),
    **dict.fromkeys(("begin_chain", "return_row"), ("local_search",)),
    "chain": ("first", "iterated_local_search"),
    "random_tours": ("restart", "random_restarts"),
    "edge_assembly": ("edge_assembly",),
    **dict.fromkeys(("order_recombination", "split"), ("split_recombination",)),
    "sequence_chain": ("sequence_search",),
    "build_sequence": ("neh",),
    "expand_beam": ("beam_search",),
}


@dataclass(frozen=True)
class Lengths:
    """Composes the kernels of a metric with a C++ type of lengths and a grid of sites."""

    metric: Metric
    type: str
    grid: str = ""

    @classmethod
    def of(cls, metric: Metric) -> Lengths:
        """Return the usual type and grid of a metric."""
        grid = "fine" if metric.name in GRID_METRICS else ""
        return cls(metric, "int" if metric.integer else "double", grid)

    def moves(self, parts: Parts, *, by_step: bool = False) -> Moves:
        """Return composed neighbourhoods."""
        return Moves.of(parts, symmetric=True, length=self.type, grid=self.grid, by_step=by_step)

    def needs(self, parts: Parts) -> ChainNeeds:
        """Return the registers and memory that chains with these neighbourhoods need."""
        return chain_needs(self.metric, self.moves(parts), parts)

    def climb(self, n: int, size: int) -> Kernel:
        """Compose an exhaustive climb with 2-opt moves, with `size` tours per multiprocessor."""
        shape = two_opt_climb.fastest_shape(n, size, SHARED, self.metric.fast_estimate)
        return two_opt_climb.climb_kernel(self.metric, shape)

    def descent(
        self, parts: Parts, n: int = CITIES[0], size: int = 16, layout: str = "auto"
    ) -> Kernel:
        """Compose a descent."""
        shape = descent_layouts.descent_shape(n, size, SHARED, layout, self.needs(parts))
        return descent_kernel(self.metric, self.moves(parts), shape.team, shape.memory)

    def multi(self, parts: Parts, n: int = CITIES[0], layout: str = "auto") -> Kernel:
        """Compose a descent that applies independent moves."""
        shape = descent_layouts.multi_shape(n, SHARED, self.needs(parts), layout)
        return multi_descent_kernel(self.metric, self.moves(parts), shape.team, shape.memory)

    def sweeps(self, parts: Parts) -> Iterator[Kernel]:
        """Compose the kernels of a descent that applies best moves."""
        moves = self.moves(parts)
        yield from best_sweep.sweep_kernels(self.metric, moves, "gls::Block<128>", BLOCK)

    def chain(
        self,
        parts: Parts,
        n: int,
        kick: tours.DoubleBridge = WINDOW,
        rule: Acceptance = tours.Annealing(),
    ) -> Kernel:
        """Compose chains on whole tours."""
        shape = chain_layouts.chain_shape(n, 64, SHARED, self.needs(parts))
        return chain_kernel(self.metric, self.moves(parts), kick, rule, shape)

    def part_chain(self, n: int) -> Kernel:
        """Compose chains on parts of n cities."""
        shape = chain_layouts.part_shape(n, SHARED, self.needs(SHALLOW))
        moves = self.moves(SHALLOW)
        return chain_kernel(self.metric, moves, WINDOW, tours.Annealing(), shape, TOUR_PART)

    def assembly(self, n: int, strategy: str = "single") -> Kernel:
        """Compose a crossover by edge assembly."""
        chosen = assembly_layouts.STRATEGIES[strategy]
        shape = assembly_layouts.assembly_shape(n, 64, SHARED, chosen)
        return edge_assembly.assembly_kernel(self.metric, self.type, self.grid, shape, chosen)

    def crossover(self, part: PairRecombination, n: int = CITIES[0]) -> Kernel:
        """Compose a crossover of pairs."""
        own = part.pair_bytes(n, 2)
        return part.kernel(self.metric, pair_layouts.pair_shape(n, own, 64, SHARED))

    def filtered(
        self, part: Neighbourhood, test: Filter, mapping: str = "roots"
    ) -> FilteredKernels:
        """Return an object that composes the kernels of filtered moves."""
        filtered = tours.FilteredNeighbourhood(part, test, mapping=mapping)
        return FilteredKernels(filtered, self.metric, self.type, self.grid)


EUC_2D, EUC = (Lengths.of(BUILT_IN_METRICS[name]()) for name in ("EUC_2D", "EUC"))


def instantiations() -> list[Kernel]:
    """Return the CUDA kernels that the compile check compiles."""
    kernels = [
        greedy.greedy_edges_kernel(WARP),
        greedy.follow_links_kernel(WARP),
        random_tours_kernel(WARP),
        double_bridge_kernel(WARP),
        best_sweep.positions_kernel(BLOCK),
        arrays.take_kernel(BLOCK),
        parted.unroll_kernel(WARP),
        parted.write_kernel(WARP),
        *_weighted(),
        *_routing(),
        *_many_routes(),
        *_resources(),
        *_successors(),
        *all_sequence_kernels(WARP),
        *constructed.kernels(EUC_2D.metric, EUC.metric, WARP),
        *map(EUC_2D.crossover, PAIR_CROSSOVERS),
        *_tensors(),
        *_planar(),
        *_real(),
        *_directed(),
    ]
    for make in BUILT_IN_METRICS.values():
        kernels += metric_kernels(make())
    return [
        replace(kernel, parts=(*kernel.parts, *ENGINES.get(kernel.name, ())))
        for kernel in dict.fromkeys(kernels)
    ]


@dataclass(frozen=True)
class _Gpu:
    """A GPU as far as layouts depend on it."""

    name: str = "cuda"
    shared_memory: int = SHARED

    def warp(self) -> str:
        return WARP

    def block(self, threads: int) -> str:
        return f"gls::Block<{threads}>"


def _tensors() -> Iterator[Kernel]:
    """Compose the kernels that improve tensors."""
    parts = search_parts(None)
    for matrices, n, item in ((False, CITIES[0], "int64"), (True, CHAIN_CITIES[0], "int32")):
        metric, gpu = metric_of(matrices, single=True), _Gpu()
        made = kernels_of(
            *(gpu, metric, parts.neighbourhoods, parts.degree, not matrices, n, 8, item, parts.kick)
        )
        yield from made.all()


def metric_kernels(metric: Metric) -> Iterator[Kernel]:
    """Yield the kernels that use a metric, for ``gpu-ls compile-check``.

    Plugins call it in the hook `gpu_ls_kernel_sources`.
    """
    own = Lengths.of(metric)
    yield tour_cost_kernel(metric, WARP)
    if metric.name in SHORT_TOURS:
        yield own.climb(SHORT_TOURS[metric.name], MANY_TOURS)
    else:
        yield own.climb(CITIES[0], TOURS[1])
    if metric.name in ROOTLESS:  # kernels without square roots need fewer registers
        return
    yield nearest_neighbour.nearest_neighbour_kernel(metric, WARP)
    for grid in ("", own.grid):
        yield sites_kernel(metric, CITY_BLOCK, grid)
    yield own.descent(USUAL)
    if metric.name not in ("ATT", "CEIL_2D", "FLOOR_2D"):  # like EUC_2D
        yield own.chain(SHALLOW, CHAIN_CITIES[0])


def neighbourhood_kernels(part: Neighbourhood) -> Iterator[Kernel]:
    """Yield a descent with a neighbourhood, for ``gpu-ls compile-check``.

    Plugins call it in the hook `gpu_ls_kernel_sources`.
    """
    yield replace(EUC_2D, grid="").descent([part])


def filter_kernels(test: Filter) -> Iterator[Kernel]:
    """Yield kernels that evaluate filtered 2-opt moves, for ``gpu-ls compile-check``.

    Plugins call it in the hook `gpu_ls_kernel_sources`.
    """
    bounded = test & tours.GainBound()
    yield from replace(EUC_2D, grid="").filtered(tours.TwoOpt(), bounded).evaluation("openings")


def resource_kernels(problem: routes.CVRP) -> Iterator[Kernel]:
    """Yield kernels with the resources of a problem, for ``gpu-ls compile-check``.

    These are searches and constructions. Plugins call it in the hook `gpu_ls_kernel_sources`.
    """
    grid = "fine" if problem.nodes.metric.name in GRID_METRICS else ""
    types = _linked_types(problem, grid)
    both = routes.RouteMoves(), routes.SwapStar()
    resources, vehicles = tuple(part.name for part in problem.resources), VehiclesType.of(problem)
    for kernel in (
        *(split_kernel(vehicles, WARP, timed=False, paid=paid) for paid in (False, True)),
        string_kernel(tours.Annealing(), types),
        linked_descent.descent_kernel(types, both),
        insertion_kernel(vehicles, WARP, "solomon"),
    ):
        yield replace(kernel, parts=(*kernel.parts, *resources))


def _linked_types(problem: routes.CVRP, grid: str) -> LinkedTypes:
    """Return the types of kernels on linked lists of routes."""
    site = GRID_BYTES.get(grid, tour_layouts.SITE_BYTES)
    layout = LinkedShape.of(problem, most_rows(problem), SHARED, site)
    return LinkedTypes.of(problem, grid, "int" if problem.integer else "double", layout)


def _planar() -> Iterator[Kernel]:
    """Yield each engine of tours with each of its layouts and parts, for EUC_2D."""
    own, plain, metric = EUC_2D, replace(EUC_2D, grid=""), EUC_2D.metric
    yield nearest_neighbour.nearest_neighbour_kernel(
        metric, f"gls::Block<{nearest_neighbour.BLOCK_THREADS}>"
    )
    yield pair_lengths_kernel(metric, BLOCK)
    yield sites_kernel(metric, CITY_BLOCK, "wide")
    yield tour_cost_kernel(metric, CITY_BLOCK)
    yield from (own.climb(n, size) for n in CITIES for size in TOURS)
    yield from (own.descent(USUAL, n, size, layout) for layout, n, size in LAYOUTS)
    yield from map(own.descent, MOVES)
    yield descent_kernel(metric, plain.moves(STEPS, by_step=True), WARP, IN_SHARED)
    yield from own.sweeps(USUAL)
    yield from (own.multi(USUAL), own.multi(USUAL, layout="global"), own.multi(DEEP))
    cluster, block, large = RANDOM_K
    yield random_k.random_k_kernel(metric, 0, large)
    yield random_k_chain_kernel(metric, 0, tours.Better(), cluster)
    yield random_k_chain_kernel(metric, random_k.PURE_RECONNECTIONS, tours.Annealing(), block)
    bars = three_opt_climb.BARS
    yield from (three_opt_climb.tiles_kernel(metric, own.type, *bar) for bar in bars)
    yield three_opt_climb.moves_kernel(metric, own.type, *bars[0])
    ours = plain.moves(USUAL[1:])  # checked below like those of other packages
    checked = f"gls::Checked<{ours.functor}, 1>"
    theirs = replace(ours, functor=checked, headers=(*ours.headers, CHECKED))
    yield descent_kernel(metric, theirs, WARP, IN_SHARED)
    yield from (own.chain(SHALLOW, n) for n in CHAIN_CITIES)
    for parts, grid, kick, rule in CHAINS:
        yield replace(own, grid=grid).chain(parts, CHAIN_CITIES[0], kick, rule)
    yield own.part_chain(PART)
    for lengths in (own, plain):
        yield parted.make_part_kernel(lengths.moves(USUAL).lists, WARP)
    yield from (own.assembly(CITIES[0], strategy) for strategy in ("single", "block"))
    yield own.crossover(tours.PartitionRecombination())
    two, three, bound = tours.TwoOpt(), tours.ThreeOpt(), tours.GainBound()
    yield from own.filtered(two, tours.Everything(), "cut_triangle").evaluation("masked")
    yield from own.filtered(three, tours.RandomKeep()).evaluation("fused")
    yield from own.filtered(three, ~tours.DontLook() | tours.Radius(1.0)).evaluation("masked")
    openings = own.filtered(three, bound & tours.InCandidates(), "lexicographic")
    yield from openings.evaluation("openings", sink="Following")
    yield from (openings.step(step) for step in ("TakeFiltered", "NoteFiltered"))


def _real() -> Iterator[Kernel]:
    """Yield engines with real lengths, for EUC, and the kernels for many instances at once."""
    own, metric = EUC, EUC.metric
    yield three_opt_climb.tiles_kernel(metric, own.type, *three_opt_climb.BARS[0])
    yield own.assembly(CITIES[1])
    yield own.crossover(tours.PartitionRecombination(), CITIES[1])
    yield own.filtered(tours.TwoOpt(), tours.GainBound()).evaluation("openings")[1]
    teams = tuning.ONE_THREAD["cuda"]
    yield instances.lists_kernel(metric, own.moves(SHALLOW), teams, instances.DEGREE)
    yield instances.cost_kernel(metric, WARP)
    for n in (INSTANCE, tuning.LARGEST_SHORT):
        shape = assembly_layouts.assembly_shape(n, 64, SHARED)
        yield crossing.crossing_kernel(metric, own.moves(SHALLOW), shape)
    yield own.part_chain(INSTANCE)


def _directed() -> Iterator[Kernel]:
    """Yield descents on a matrix, with directed lengths and with lengths of 64 bits."""
    metric = BUILT_IN_METRICS["EXPLICIT"]()
    one_way = Moves.of([*USUAL[1:], tours.ThreeOpt()], symmetric=False, length="int")
    yield descent_kernel(metric, one_way, WARP, IN_SHARED)
    wide = Lengths(metric, "gls::int64").moves(USUAL)
    yield descent_kernel(metric, wide, WARP, "gls::GlobalMemory")


def _weighted() -> Iterator[Kernel]:
    """Yield kernels for rows that weight two metrics differently: a plane and a matrix."""
    metric = WeightedSum((EUC_2D.metric, BUILT_IN_METRICS["EXPLICIT"]()))
    yield tour_cost_kernel(metric, WARP)
    yield sites_kernel(metric, CITY_BLOCK)
    functors = tuple(part.functor for part in metric.metrics)
    distances = RowsUnder(metric, Tchebycheff(np.ones((1, 2)), np.zeros(2), functors))
    weighted, far = Lengths(metric, "double"), Lengths(distances, "double")
    for lengths, size in ((weighted, 16), (far, 1)):  # for warps, and for blocks
        yield lengths.descent(SHALLOW, size=size)
        yield lengths.chain(SHALLOW, CITIES[0])
    yield weighted.assembly(CITIES[0])
    yield weighted.crossover(tours.PartitionRecombination())


def _routing() -> Iterator[Kernel]:
    """Yield searches of routes with hard integer constraints, and with soft real ones."""
    nodes, demands = ((0, 0), (0, 3), (4, 0)), (0, 1, 1)
    hard = routes.CVRP(nodes, demands, 2)
    soft = routes.CVRP(nodes, demands, 2, metric="EUC", route_limit=9).penalised()
    for problem, length, grid, n in ((hard, "int", "fine", CITIES[0]), (soft, "double", "", 5000)):
        metric = problem.nodes.metric
        types = _linked_types(problem, grid)
        yield string_kernel(tours.Annealing(), types)
        for on_lists in ((routes.RouteMoves(),), (routes.RouteMoves(), routes.SwapStar())):
            yield linked_descent.descent_kernel(types, on_lists)
        cities = n if problem.integer else CITIES[1]  # in global memory
        own = route_edge_assembly.pair_bytes(cities, 2, cities - cities // 20)
        pairs = pair_layouts.pair_shape(cities, own, 64, SHARED)
        yield route_edge_assembly.assembly_kernel(metric, pairs)
        objective = Routing(problem)
        giant = Lengths(Under(metric, objective), length, grid)
        filtered = giant.filtered(tours.ThreeOpt(), tours.Everything())
        kernels = [
            best_sweep.keep_kernel(giant.metric, BLOCK),
            *filtered.evaluation("whole"),
            filtered.step("TakeFiltered"),
            giant.descent(ROUTE_MOVES, n),
            giant.multi(ROUTE_MOVES, n),
        ]
        resources = tuple(part.name for part in objective.resources)
        yield from (replace(kernel, parts=(*kernel.parts, *resources)) for kernel in kernels)


def _many_routes() -> Iterator[Kernel]:
    """Yield searches of many routing problems at once, with rounded and with real lengths."""
    for lengths in (EUC_2D, EUC):
        sizes = RowsOfInstances(INSTANCE + 30, INSTANCE, lengths.metric.integer)
        vehicles = VehiclesType.of_lengths(lengths.metric)
        layout = OwnRowsShape.on_gpu(SHARED, sizes, GRID_BYTES.get(lengths.grid, 8))
        of_lengths = lengths.metric, lengths.grid, lengths.type
        types = LinkedTypes(*of_lengths, layout, vehicles, scope=OWN_INSTANCE)
        yield string_kernel(tours.Annealing(), types)
        yield linked_descent.descent_kernel(types, [routes.RouteMoves(), routes.SwapStar()])
        yield from many_routes.kernels(vehicles, lengths.grid, WARP, tuning.ONE_THREAD["cuda"])


def _resources() -> Iterator[Kernel]:
    """Yield searches of routes with a further load, and with time windows of both types."""
    nodes, demands, windows = ((0, 0), (0, 3), (4, 0)), (0, 1, 1), [(0, 9)] * 3
    integer, real = (routes.CVRP(nodes, demands, 2, metric=name) for name in ("EUC_2D", "EUC"))
    further = Load(np.array(demands), 2, "load 2")
    yield from resource_kernels(integer.with_resources(routes.TimeWindows(windows), further))
    own = routes.TimeWindows(windows, durations=np.ones((3, 3)))
    yield from resource_kernels(real.with_resources(own))


def _successors() -> Iterator[Kernel]:
    """Yield kernels with each sampler, order of variables and memory, for warps and for blocks."""
    colours = assignment.GraphColouring(2, [(0, 1)], 1)
    table = assignment.WeightTable(np.ones((1, 1), np.uint32))
    masks = assignment.Conflicts([(0, 1)]), assignment.Capacities([1], [1]), assignment.Distinct()
    masked = assignment.Masked(table, *masks)
    cheapest = assignment.CheapestValue(problem=colours)
    by_type = assignment.ByType([cheapest, masked, table], [0, 1])
    made = assignment.SuccessorGeneration
    yield made(table, "rescan").kernel("given", WARP)
    yield made(table, "stored").kernel("shuffled", BLOCK, "gls::BlockMemory")
    yield made(masked, "rescan").kernel("shuffled", WARP)
    yield made(cheapest, "rescan").kernel("given", WARP)
    yield made(by_type, "stored").kernel("given", BLOCK)
    agents = assignment.GeneralisedAssignment([[1]], [[1]], [1])
    places = assignment.QuadraticAssignment([[0]], [[0]])
    for problem, rule in zip((colours, agents, places), assigned.RULES, strict=True):
        yield Tabu((Tenure(1, 1, 0.0),), 1).kernel(problem, BLOCK)
        yield Accepted(tours.Annealing(), 1, 1).kernel(problem, BLOCK)
        yield assigned.release_kernel(problem, rule, BLOCK)
    yield Tabu((Tenure(1, 1, 0.0),), 1).kernel(colours, "gls::Block<1024>", MEMORIES[1], 1)
    yield EjectionChains(1).kernel(agents, "gls::Warp<1>")
