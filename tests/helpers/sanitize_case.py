"""Small runs of each kernel, for the compiler's sanitizers or for compute-sanitizer.

Problems and batches are small, because a sanitizer slows kernels down a hundred times. The numbers
of cities lie on both sides of the sizes of candidate lists, blocks and tiles, so that accesses
outside of arrays show up. The program fails if a result is wrong.
"""

from __future__ import annotations

import argparse
import dataclasses
from contextlib import suppress
from dataclasses import replace
from itertools import cycle, product
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.successors.layouts import LANES
from gpu_ls_plugin.backends import get_backend, tuning
from gpu_ls_plugin.backends.tuning import LARGEST_SHORT
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.sequences.cooperation.exchanges import CROSSOVERS
from gpu_ls_plugin.sequences.engines import kernels as sequence_kernels
from gpu_ls_plugin.tours.crossovers import pair_layouts
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.exhaustive import two_opt_climb as climb_engine
from gpu_ls_plugin.tours.kernels import sites
from tests.helpers.configurations import CUBIC, FILTERED, SEARCHES, two_opt_climb
from tests.helpers.parents import relatives
from tests.helpers.random_problems import METRICS, random_problem, random_tours
from tests.sequences.engines.random_problems import WAYS, case_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gpu_ls_plugin.extend import Assignment

# Children by the last one are never longer than their first parents.
PAIRS = (
    gls.EdgeRecombination(),
    gls.OrderRecombination(),
    gls.PartiallyMappedRecombination(),
    gls.CycleRecombination(),
    gls.SegmentRecombination(),
    gls.PartitionRecombination(),
)


ROUTE_MOVES = gls.LocalSearch([gls.TwoOpt(), gls.Relocate(3), gls.Exchange(3, 2)], gls.All())
ROUTE_PAIRS = (gls.SplitRecombination(), gls.RouteEdgeAssembly())


SEQUENCE_MOVES = (gls.Insertion(3), gls.Swap(), gls.Reversal())
SEQUENCE_SEARCHES = (
    gls.SequenceSearch(),
    gls.SequenceSearch(
        SEQUENCE_MOVES, gls.sequences.BlockSwap(), exchange=gls.SequenceCrossing(every=0.05)
    ),
    gls.SequenceSearch(
        SEQUENCE_MOVES,
        gls.DestroyRepair(63),
        gls.Better(),
        gls.ChainMigration(0.5, 0.01),
        pivoting="best",
    ),
)


class Extent(NamedTuple):
    """The runs on a backend; slow compilations and slow checks are left out."""

    runs: dict[str, tuple[str, ...]]  # methods of Watched, and their metrics
    cities: tuple[int, ...]
    tours: int
    spans: tuple[int, ...]  # of coordinates; small ones make ties and duplicates
    spans_of_many: tuple[int, ...]  # for `MANY` cities
    contract: tuple[str, ...]  # metrics for the searches of the contract suite
    every_kind: tuple[str, ...]  # metrics for chains of each kind, and for third-party moves
    chained_cities: range
    rules: tuple[gls.Pivoting, ...]  # of filtered neighbourhoods


MANY = 300  # cities; longer than a candidate list, and more moves than a climb keeps
EXTENTS = {
    "cpu": Extent(
        runs={
            "searches": METRICS,
            "chains": ("EUC_2D", "EUC", "EXPLICIT"),
            "filtered": ("EUC_2D",),
            "parts": ("EUC_2D",),
            "unions": ("EUC_2D", "EUC"),
            "weighted": ("EUC_2D",),
            "routes": ("EUC_2D", "EUC"),
            "moves_of_routes": ("EUC_2D",),
            "linked_routes": ("EUC_2D", "EUC"),
            "states": ("EUC_2D",),
            "sequences": ("EUC_2D",),
            "objectives": ("EUC_2D",),
            "tensors": ("EUC_2D",),
        },
        cities=(1, 2, 3, 4, 5, 6, 8, 9, 11, 33, 40, MANY),
        tours=2,
        spans=(6,),
        spans_of_many=(2, 200, 2_000_000),
        contract=("EUC_2D",),
        every_kind=("EUC_2D",),
        chained_cities=range(MANY + 1),
        rules=(gls.Best(),),
    ),
    "cuda": Extent(
        runs={
            # The slowest come first, for parallel runs.
            "moves_of_routes": ("EUC_2D", "EUC"),
            "chains": METRICS,
            "linked_routes": ("EUC_2D", "EUC"),
            "routes": ("EUC_2D", "EUC"),
            "states": ("EUC_2D",),
            "sequences": ("EUC_2D",),
            "objectives": ("EUC_2D",),
            "filtered": ("EUC_2D", "EUC"),
            "tensors": ("EUC_2D",),
            "weighted": ("EUC_2D", "EUC"),
            "shapes": ("EUC_2D",),
            "searches": METRICS,
            "unions": ("EUC_2D", "EUC"),
        },
        cities=(5, 8, 33, 127, MANY),
        tours=3,
        spans=(80,),
        spans_of_many=(80,),
        contract=(),
        every_kind=METRICS,
        chained_cities=range(8, 128),
        rules=(gls.Best(), gls.First()),
    ),
}
FILTERED_CITIES = range(128)
STATED_CITIES = range(3, MANY)
ITEMS, FEW_ITEMS, MANY_ITEMS = range(1, 128), range(1, 64), 30  # of sequences
ROUTED_CITIES = range(2, MANY + 1)
SHAPED_CITIES = range(34, MANY + 1)
LAYOUT_SIZES = (129, 300, 600, 1100, 1300, 1600, 2048, 5000)  # sizes with other layouts
SMALLEST_BRIDGE = 6
KICKS, MOVES = 8, 3
LONG_LAUNCH = 2.0  # seconds; racecheck makes each launch slow, so there are few
# Warps of a block, blocks of a multiprocessor; without any, tours are in global memory.
CHAIN_SHAPES = (((16, 2),), ((7, 1),), ((1, 1),), ())
PART, PART_KICKS = 64, 500


class Watched:
    """All runs on one backend."""

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.extent = EXTENTS[backend]
        self.calls = 0

    def search(self, search: Any, problem: Any, tours: Any, **budget: int) -> Any:
        """Search tours; check that costs are exact and no tour becomes worse."""
        limits = gls.Budget(**budget)
        result = search(problem, tours, seed=1, budget=limits, backend=self.backend)
        assert (result.costs == problem.cost(result.tours)).all()
        assert problem.constrained or (result.costs <= problem.cost(tours)).all()
        self.calls += 1
        return result

    def starts(self, problem: gls.TSP) -> list[Any]:
        """Return random tours, then those of each construction."""
        made = [random_tours(problem.n, self.extent.tours)]
        for part in registry.parts("construction"):
            with suppress(UnsupportedProblemError):  # constructions of routes, or for points
                size = self.extent.tours
                made.append(part.factory(problem, size, seed=1, backend=self.backend))
        return made

    def searches(self, problem: gls.TSP) -> None:
        """Run local searches from each construction, restarts and kicks."""
        starts = self.starts(problem)
        for search in searches(problem, self.extent):
            for tours in starts if search == gls.LocalSearch() else starts[:2]:
                self.search(search, problem, tours)
            self.search(search, problem, starts[0], moves=2)
        given: dict[str, Any] = {"seed": 1, "backend": self.backend}
        gls.RandomRestarts(two_opt_climb(), climbs=5, keep=2)(problem, **given)
        gls.RandomRestarts(climbs=5, keep=2)(problem, **given)
        for segment in (None, 6, 30) if problem.n >= SMALLEST_BRIDGE else ():
            kicked = gls.DoubleBridge(segment).perturb(problem, starts[0], **given)
            assert (np.sort(kicked) == np.arange(problem.n)).all()

    def chains(self, problem: gls.TSP) -> None:
        """Run chains of kicks, in all layouts of a block."""
        if problem.n not in self.extent.chained_cities:
            return
        metric, starts = problem.metric.name, random_tours(problem.n, self.extent.tours)
        every = chains()
        for search in every if metric in self.extent.every_kind else every[:1]:
            self.search(search, problem, starts, kicks=KICKS)
        if metric in self.extent.every_kind:
            mates = random_tours(problem.n, self.extent.tours, seed=1)
            for strategy in ("single", "block"):
                part = gls.EdgeAssembly(strategy=strategy)
                children = part.cross(problem, starts, mates, backend=self.backend)
                assert (problem.cost(children) <= problem.cost(starts)).all()
        if self.backend == "cuda":
            for shape in CHAIN_SHAPES:
                warps = dict.fromkeys(chain_layouts.CHAIN_WARPS, shape)
                with patch.object(chain_layouts, "CHAIN_WARPS", warps):
                    for search in every[:2]:
                        self.search(search, problem, starts, kicks=KICKS)

    def unions(self, problem: gls.TSP) -> None:
        """Run crossovers of pairs, in shared and in global memory."""
        first = random_tours(problem.n, self.extent.tours)
        choose = pair_layouts.pair_shape
        shapes = (choose, lambda *_: choose(LARGEST_SHORT + 1, 0, 1, 0))
        seconds = (random_tours(problem.n, len(first), 1), relatives(first, 6, 1))
        for shape, second in product(shapes if self.backend == "cuda" else shapes[:1], seconds):
            with patch.object(pair_layouts, "pair_shape", shape):
                for part in PAIRS:
                    children = part.cross(problem, first, second, backend=self.backend)
                    assert (np.sort(children) == np.arange(problem.n)).all()
                    self.calls += 1
            assert (problem.cost(children) <= problem.cost(first)).all()

    def filtered(self, problem: gls.TSP) -> None:
        """Run a few moves of each filtered neighbourhood, and list its best moves."""
        if problem.n in FILTERED_CITIES:
            starts = random_tours(problem.n, self.extent.tours)
            for search in filtered(self.extent.rules):
                self.search(search, problem, starts, moves=MOVES)
                part = search.neighbourhoods[0]
                best = gls.best_moves(part, problem, starts, MOVES, backend=self.backend)
                gains = np.where(best.ways < 0, -np.inf, best.gains)  # rows may have fewer moves
                assert (gains[:, 1:] <= gains[:, :-1]).all()

    def weighted(self, problem: gls.TSP) -> None:
        """Run descents, chains and crossovers of rows with their own lengths."""
        several = gls.MultiObjectiveTSP([problem, random_problem("EXPLICIT", problem.n, 5)])
        starts = random_tours(problem.n, self.extent.tours)
        weights = np.linspace(0.1, 0.9, 2 * len(starts)).reshape(-1, 2)
        summed = several.weighted(weights)
        steps = gls.LocalSearch([gls.LinKernighan(3)], candidates=gls.Nearest(8))
        for rows in (summed, several.tchebycheff(weights, several.cost(starts).min(axis=0))):
            for search in (gls.LocalSearch(), steps, gls.IteratedLocalSearch(steps)):
                self.search(search, rows, starts, kicks=KICKS)
        for part in (gls.EdgeAssembly(), gls.PartitionRecombination()):
            children = part.cross(summed, starts, starts[::-1], seed=1, backend=self.backend)
            assert (summed.cost(children) <= summed.cost(starts)).all()
            self.calls += 1

    def parts(self, problem: gls.TSP) -> None:
        """Run chains on parts of a tour, with lengths from a grid as on a GPU."""
        if problem.n == MANY:
            sites.GRID_BACKENDS = ("cpu",)
            starts = random_tours(MANY, self.extent.tours)
            self.search(gls.IteratedLocalSearch(part=PART), problem, starts, kicks=PART_KICKS)

    def routes(self, problem: gls.TSP) -> None:
        """Run constructions of routes, some of them repaired, and crossovers."""
        for several in _routed(problem):
            place: dict[str, Any] = {"backend": self.backend}
            order = np.random.default_rng(0).permutation(problem.n - 1) + 1
            rows = [
                gls.split(several, order, **place),
                gls.savings(several, self.extent.tours, **place),
                gls.sweep(several, self.extent.tours, **place),
                *(
                    gls.cheapest_insertion(several, self.extent.tours, order=way, **place)
                    for way in ("parallel", "sequential", "solomon")
                ),
            ]
            for tours in rows:
                assert several.fleet is not None or several.feasible(tours).all()
                assert (several.violations(tours).vehicles == 0).all()
                self.calls += 1
            for part in ROUTE_PAIRS:
                for mates in (rows[1][::-1], rows[2], random_tours(several.n, len(rows[1]))):
                    for paid in (several, several.penalised(load=3, duration=2)):
                        children = part.cross(paid, rows[1], mates.copy(), seed=1, **place)
                        several.check(children)
                        self.calls += 1

    def moves_of_routes(self, problem: gls.TSP) -> None:
        """Run moves of giant tours over all nodes, from feasible and infeasible tours."""
        for several, starts in self.limited(problem):
            for pivoting in (gls.Multi(9), gls.First()):
                self.search(replace(ROUTE_MOVES, pivoting=pivoting), several.tsp, starts)
            for part in (gls.TwoOpt(), gls.ThreeOpt()):
                complete = gls.LocalSearch([part], candidates=gls.All(), pivoting=gls.Best())
                self.search(complete, several.tsp, starts)

    def linked_routes(self, problem: gls.TSP) -> None:
        """Run descents and chains on linked lists of routes, with hard and soft constraints."""
        kick = gls.StringRemoval(8, 5)
        steps = gls.LocalSearch([gls.RouteMoves(), gls.SwapStar()], gls.Nearest(6))
        search = gls.IteratedLocalSearch(
            steps, kick, cooperation=gls.PricedMigration(2 / problem.n)
        )
        for several in _routed(problem):
            for priced in (several, several.penalised(load=3)):
                starts = random_tours(several.n, self.extent.tours)
                self.search(search, priced.tsp, starts, kicks=2 * KICKS)
            kick.perturb(several.tsp, starts, seed=1, backend=self.backend)
            self.calls += 1

    def limited(self, problem: gls.TSP) -> Iterator[tuple[gls.CVRP, Any]]:
        """Yield a problem with a route limit, and giant tours; real lengths only on a GPU."""
        real = problem.integer or self.backend == "cuda"  # slow to compile on a CPU
        for several in _routed(problem):
            if several.route_limit and real and problem.n < MANY:
                made = gls.savings(several, self.extent.tours, backend=self.backend)
                others = random_tours(several.n, self.extent.tours)
                yield several, np.concatenate([made, made[:, ::-1], others])

    def states(self, problem: gls.TSP) -> None:
        """Run each sampler of successors, and searches on states; cities are variables."""
        if problem.n not in STATED_CITIES:
            return
        n, rng = problem.n, np.random.default_rng(problem.n)
        tables = rng.integers(0, 9, (2, n, n))
        problems: tuple[Assignment, ...] = (
            gls.GraphColouring.random(n, 0.5, 4, 1),
            gls.GeneralisedAssignment.generated("D", n, 3, 1),
            gls.QuadraticAssignment(*tables),
        )
        cheapest = gls.CheapestValue()
        for several, release in zip(problems, ("random", "worst", "related"), strict=True):
            empty = np.full((self.extent.tours, several.n), -1)
            for sampler in ("stored", "rescan"):
                generate = gls.SuccessorGeneration(cheapest, sampler)
                made = generate(several, empty, order="shuffled", seed=1, backend=self.backend)
                assert (several.check(made) >= -1).all()
                self.calls += 1
            search = gls.SuccessorSearch(cheapest, release, migration=2, steps=2 * MOVES)
            self.search(search, several, made, kicks=KICKS)
            ruled = gls.SuccessorSearch(accept=gls.Annealing(), steps=2 * MOVES, sample=50)
            self.search(ruled, several, made, kicks=KICKS)
        tabu = gls.SuccessorSearch(improvement="tabu", steps=2 * MOVES)
        self.search(tabu, problems[1], np.full((2, n), -1), kicks=KICKS)
        edges = np.argwhere(np.triu(tables[0] > 4, 1))
        table = gls.WeightTable(tables[0])
        room = gls.Capacities(np.full(n, 2), np.ones(n, int))
        # On a CPU, states fill all lanes, plus one.
        beside = LANES * get_backend("cpu").processors // 2 + 1 if self.backend == "cpu" else 3
        for masks in ((gls.Conflicts(edges), room), (gls.Distinct(),)):
            generate = gls.SuccessorGeneration(gls.Masked(table, *masks), "stored")
            for count in (2, beside):
                generate(None, np.full((2, n), -1), count=count, seed=1, backend=self.backend)
                self.calls += 1

    def sequences(self, problem: gls.TSP) -> None:
        """Construct flow shops, and search and cross them in all ways; cities are items.

        Many items are searched in one way and not crossed, since their descents are long.
        """
        if problem.n not in ITEMS:
            return
        times = np.random.default_rng(1).integers(1, 99, (problem.n, 20))
        flowtime, shop = gls.FlowShop(times, "total_flowtime"), gls.FlowShop(times)
        gls.beam_search(flowtime, self.extent.tours, backend=self.backend)
        few = problem.n in FEW_ITEMS
        optima, *_ = [
            self.found(way, shop) for way in SEQUENCE_SEARCHES if few or way.exchange is None
        ]
        for crossover in CROSSOVERS if few else ():
            crossing = gls.SequenceCrossing(crossover, every=0.01)
            self.search(gls.SequenceSearch(exchange=crossing), shop, optima, **_few(shop.n))

    def objectives(self, problem: gls.TSP) -> None:
        """Search sequences under some objectives in one way each; cities are items."""
        if problem.n in FEW_ITEMS:
            for kind, way in zip(WAYS, cycle(SEQUENCE_SEARCHES[1:]), strict=False):
                self.found(way, case_of(kind, problem.n, 1).problem)

    def found(self, search: gls.SequenceSearch, several: gls.Sequence) -> Any:
        """Return the rows that a search finds, in both memories of a GPU."""
        size = self.extent.tours
        made = gls.neh(several, size, backend=self.backend)
        rows = np.concatenate([several.check(made), rows_of(several, size)])
        few = _few(several.n)
        found = self.search(search, several, rows, **few).tours
        if self.backend == "cuda":
            with patch.object(sequence_kernels, "BLOCK_OVERHEAD", 1 << 30):
                other = self.search(search, several, rows, **few).tours
            assert not several.integer or (found == other).all()
        return found

    def tensors(self, problem: gls.TSP) -> None:
        """Improve rows of instances with their own lengths, one of them invalid; and routes."""
        n, size = problem.n, self.extent.tours
        random = np.random.default_rng(1)
        points, rows = random.random((2, n, 2)), np.argsort(random.random((2, size, n)))
        rows[1, 0] = 0
        lengths = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)
        demands = np.minimum(np.arange(n), 1) * np.ones((2, 1), int)
        actions = np.zeros((2, size, 2 * n), int)
        actions[..., ::2] = rows
        given = points, lengths, rows, demands, actions
        if self.backend == "cuda":
            import cupy

            given = tuple(map(cupy.asarray, given))
        points, lengths, rows, demands, actions = given
        tries = [{}, {"kicks": KICKS}]
        for options in tries if n > 1 else ():
            for found in (
                gls.improve(points, rows, **options),
                gls.improve(None, rows, distances=lengths, **options),
            ):
                assert int(found.valid.sum()) == 2 * size - (n > 1)
            loads = {"demands": demands, "capacity": 3}
            assert gls.improve(points, actions, **loads, **options).valid.any()
            self.calls += 3

    def shapes(self, problem: gls.TSP) -> None:
        """Run tours in shared and in global memory, climbs with the layouts of other sizes."""
        if problem.n not in SHAPED_CITIES:
            return
        starts = random_tours(problem.n, self.extent.tours)
        together = gls.LocalSearch(pivoting=gls.Multi())
        found = [
            self.search(replace(together, layout=layout), problem, starts).tours
            for layout in ("auto", "global")
        ]
        assert (found[0] == found[1]).all()
        expected = self.search(two_opt_climb(), problem, starts).tours
        for cities, in_shared in product(LAYOUT_SIZES, (True, False)):
            shape = _shape_of(climb_engine.climb_shape, cities, in_shared)
            with patch.object(climb_engine, "fastest_shape", shape):
                result = self.search(two_opt_climb(), problem, starts)
            assert (result.tours == expected).all(), f"{cities} cities, {in_shared=}"
        self.plain(problem)

    def plain(self, problem: gls.TSP) -> None:
        """Run the plain kernel that benchmarks compare with."""
        import cupy

        from benchmarks.peers.plain_two_opt import PlainTwoOpt

        for metric in ("EUC", "EUC_2D"):
            climb = PlainTwoOpt(problem.coordinates, metric)
            climb.threads = 128
            climb.climb(cupy.asarray(random_tours(problem.n, self.extent.tours)))
            self.calls += 1


def _few(items: int) -> dict[str, int]:
    """Return limits of a search of sequences; the descents of many items are cut short."""
    return {"kicks": MOVES} if items < MANY_ITEMS else {"kicks": MOVES, "moves": 2 * MOVES}


def searches(problem: gls.TSP, extent: Extent) -> Iterable[gls.LocalSearch]:
    """Yield the local searches for a problem; fewer for most metrics, to compile less."""
    yield from (gls.LocalSearch(), *(two_opt_climb(most) for most in (1, 8, 32)))
    metric = problem.metric.name
    if metric in extent.every_kind:
        yield gls.LocalSearch(pivoting=gls.Multi())
        theirs = type("Theirs", (gls.OrOpt,), {})
        yield gls.LocalSearch([theirs()], pivoting=gls.Multi())
    for name, search in SEARCHES.items() if metric in extent.contract else ():
        # Cubic searches are slow under a sanitizer.
        if name not in FILTERED and (name not in CUBIC or problem.n < MANY):
            yield search


def chains() -> list[gls.IteratedLocalSearch]:
    """Return iterated searches with each acceptance rule, kick and cooperation."""
    usual, steps = gls.LocalSearch(), gls.LocalSearch([gls.LinKernighan(5)], gls.Nearest(5))
    deep, walking = gls.LocalSearch([gls.ThreeOpt()]), gls.DoubleBridge(walk=3)
    crossing = gls.EdgeAssembly(0.1, 2, 8)
    drawn = gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.RandomK(200))
    return [
        gls.IteratedLocalSearch(restart_after=3),
        gls.IteratedLocalSearch(usual, walking, gls.Better()),
        gls.IteratedLocalSearch(usual, gls.DoubleBridge(), gls.Threshold(), restart_after=2),
        gls.IteratedLocalSearch(steps, accept=gls.BetterOrEqual(), cooperation=gls.Migration(0.05)),
        gls.IteratedLocalSearch(steps, gls.Restart(), gls.Always()),
        gls.IteratedLocalSearch(usual, cooperation=gls.Migration(0.1), part=32),
        gls.IteratedLocalSearch(usual, cooperation=crossing),
        gls.IteratedLocalSearch(deep, walking, gls.Better(), cooperation=crossing),
        gls.IteratedLocalSearch(drawn, gls.DoubleBridge(6), gls.Threshold(), restart_after=2),
    ]


def filtered(rules: Iterable[gls.Pivoting]) -> list[gls.LocalSearch]:
    """Return filtered searches with both neighbourhoods and all modes, filters and mappings."""
    tests: dict[str, Any] = {
        "masked": gls.RandomKeep(0.3) | gls.Radius(10),
        "fused": gls.DontLook() & ~gls.Radius(2),
        "openings": gls.GainBound() & gls.InCandidates(gls.Nearest(5)),
    }
    mappings: dict[Any, tuple[str, ...]] = {
        gls.TwoOpt(): ("cut_triangle", "lexicographic", "roots"),
        gls.ThreeOpt(): ("lexicographic", "roots", "roots"),
    }
    return [
        gls.LocalSearch([gls.FilteredNeighbourhood(space, test, mode, mapping)], pivoting=rule)
        for space, fitting in mappings.items()
        for (mode, test), mapping in zip(tests.items(), fitting, strict=True)
        for rule in rules
    ]


def _shape_of(choose: Callable[..., Any], cities: int, in_shared: bool) -> Callable[..., Any]:
    """Return a function that chooses the climb's layout for more cities."""

    def shape(n: int, *rest: Any) -> Any:
        return dataclasses.replace(choose(max(n, cities), *rest), in_shared=in_shared)

    return shape


def _routed(problem: gls.TSP) -> Iterator[gls.CVRP]:
    """Yield routing problems with a capacity, a route limit, and a fleet."""
    if problem.n not in ROUTED_CITIES:
        return
    demands = np.arange(problem.n) % 7
    limit = 3 * problem.distance(0, np.arange(problem.n)).max()
    fleet = -(-int(demands.sum()) // 20) or 1
    limits: tuple[dict[str, Any], ...] = ({}, {"route_limit": limit}, {"vehicles": fleet})
    for given in limits:
        yield gls.CVRP(problem.coordinates, demands, 20, metric=problem.metric, **given)


def main() -> None:
    """Run the requested kernels on a backend."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=tuple(EXTENTS), default="cpu")
    parser.add_argument("--metrics", default=",".join(METRICS), help="metrics of the problems")
    parser.add_argument("--cities", help="numbers of cities")
    parser.add_argument("--runs", help="kinds of kernels")
    options = parser.parse_args()
    watched = Watched(options.backend)
    extent = watched.extent
    if options.backend == "cuda":
        import cupy

        cupy.cuda.set_allocator(None)  # a memory pool would hide accesses beyond an array
        tuning.LAUNCH_SECONDS = LONG_LAUNCH
    cities = extent.cities if options.cities is None else map(int, options.cities.split(","))
    runs = tuple(extent.runs) if options.runs is None else options.runs.split(",")
    for n in cities:
        for metric in options.metrics.split(","):
            for span in extent.spans_of_many if n >= MANY else extent.spans:
                for run in (name for name in runs if metric in extent.runs[name]):
                    getattr(watched, run)(random_problem(metric, n, span=span))
    print(f"{watched.calls} calls done")


if __name__ == "__main__":
    main()
