"""Makes one good tour in a short time on the cores of the host.

A greedy tour becomes a local optimum in milliseconds; a population of random tours takes tenths of
a second to reach its first local optimum. The search therefore starts with a greedy tour. Chains of
kicks, one per core, then search copies of it, and `Merging` combines the improvements of all
chains.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import Budget, Stopwatch, compiling, now
from gpu_ls_plugin.core.history import shifted
from gpu_ls_plugin.core.result import Result, Statistics, later
from gpu_ls_plugin.runs.acceptance import BetterOrEqual
from gpu_ls_plugin.runs.compiling import at_once
from gpu_ls_plugin.tours.candidates import near_cities
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.construction.greedy import CANDIDATES as OF_GREEDY
from gpu_ls_plugin.tours.construction.greedy import greedy
from gpu_ls_plugin.tours.construction.space_filling_curve import space_filling_curve
from gpu_ls_plugin.tours.crossovers.merging import Merging
from gpu_ls_plugin.tours.engines.chains.chain_layouts import LONGEST_WHOLE
from gpu_ls_plugin.tours.engines.compiling_ahead import fresh_copy, placeholder_tours
from gpu_ls_plugin.tours.engines.pivoting import First
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.kernels.sites import Sites
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighanLead
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.problem.tsp import TSP, tour_problem
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import numpy as np
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.tours.searches.search_call import Call

# Measured: docs/lab/tours.md, "The first tour".
SMALLEST = 12  # minimum number of cities
MOST_CHAINS = 16  # maximum number of chains, which run on one core each
KICK = 300  # cities in the window of a double bridge
NEAREST, QUADRANT = Nearest(OF_GREEDY), Quadrant(8)  # lists if time is short, and otherwise
MOVES = LinKernighanLead(12, (8, 8, 1))  # breadth 8: all candidates
# With fewer than HASTE seconds per city, chains use NEAREST, the lists of the greedy tour, and the
# moves HASTY, which give better local optima but slower kicks.
HASTE, HASTY = 5e-6, (LinKernighanLead(5), OrOpt(3))
# All cores descend from the same tour. To give each its part of the cities, and merge their tours,
# was worse: a crossover of tours with thousands of different edges takes longer than the descent.
MERGED = 1200  # number of kicks of all chains together between two mergings
GREEDY_SECONDS = 2.5e-6  # estimate per city of a greedy tour, until one has been timed
LATE = 0.02  # seconds by which a call may exceed its time limit
DESCENT = 0.02  # minimum seconds for a descent; fewer if the call would exceed `LATE`
DESCENT_SECONDS = 7e-6  # seconds per city of a descent from a random tour, on one thread
FOUND_BY_SEARCH = 0.9  # tours shorter than this share of a space-filling curve come from a search
_compiled: set[Hashable] = set()  # kinds of problems whose programs are compiled


def number_of_chains() -> int:
    """Return how many chains improve the tour: one per core."""
    return min(get_backend("cpu").processors, MOST_CHAINS)


class GoodTour:
    """A search that makes a greedy tour and improves it with chains of kicks on the CPU.

    Parameters
    ----------
    chains : callable
        `ChainsOfOneTour`, or another constructor of an `IteratedLocalSearch` that does not look for
        a good tour itself.
    """

    name = "opening"
    seconds_per_city = GREEDY_SECONDS  # of a greedy tour: the minimum measured so far

    def __init__(self, chains: Callable[..., Any]) -> None:
        self._chains = chains

    @staticmethod
    def serves(problem: Problem) -> bool:
        """Return whether a problem is planar and of a suitable size, and C++ can be compiled."""
        return (
            type(problem) is TSP
            and problem.coordinates is not None
            and SMALLEST <= problem.n <= LONGEST_WHOLE
            and problem.symmetric
            and problem.objective.length_alone
            and near_cities.compiles()
        )

    def compile(self, problem: TSP, seconds: float = math.inf) -> None:
        """Compile what a call of this many seconds needs, once for problems of the same kind.

        The kernels of mergings are only begun.
        """
        cpu, size = get_backend("cpu"), number_of_chains()
        sites = Sites.of(cpu, problem, table=True)
        each = seconds / problem.n
        alike = (type(problem.metric), sites.grid, sites.length, size, each < HASTE)
        if alike in _compiled:
            return
        copy = fresh_copy(problem)
        search = self._search(copy, each).quickened(copy)
        assert problem.coordinates is not None
        few = TSP(problem.coordinates[: 2 * SMALLEST], problem.metric)
        at_once(
            cpu,
            partial(search.compile_batch, copy, placeholder_tours(copy, size), cpu),
            partial(greedy, few, backend="cpu"),
        )
        _compiled.add(alike)

    def __call__(
        self,
        problem: Problem,
        tours: NDArray[np.int32] | None = None,
        *,
        seed: int,
        budget: Budget,
        callback: Callback | None = None,
        **_: Any,
    ) -> Result:
        """Return the tours of all chains, best first.

        The chains start from `tours`, or from a greedy tour or a space-filling curve if it is None.
        """
        problem, watch = tour_problem(problem), Stopwatch(budget)
        if tours is None:
            tours = self._first(problem, watch).repeat(number_of_chains(), axis=0)
        begin, ahead = watch.elapsed, watch.ahead
        left = max(0.0, ahead, min(DESCENT, ahead + LATE))
        found: Result | None = None
        try:
            found = self._search(problem, left / problem.n)(
                problem,
                tours,
                seed=seed,
                budget=replace(budget, seconds=left),
                backend="cpu",
                callback=callback and later(callback, begin),
            )
            statistics = found.statistics
            history = shifted(statistics.history, begin)
            statistics = replace(statistics, history=history, seconds=watch.elapsed)
            return replace(found, statistics=statistics).sorted()
        except KeyboardInterrupt:  # before or after the search itself
            tours = tours if found is None else found.tours
            interrupted = Statistics(backend="cpu", seconds=watch.elapsed, stopped_by="interrupt")
            return Result(tours, problem.cost(tours), interrupted, problem).sorted()

    def __repr__(self) -> str:
        return "GoodTour()"

    def _first(self, problem: TSP, watch: Stopwatch) -> NDArray[np.int32]:
        """Return a greedy tour, or a space-filling curve if there is too little time."""
        if GoodTour.seconds_per_city * problem.n > watch.ahead + LATE:
            curve: NDArray[np.int32] = space_filling_curve(problem, backend="cpu")
            return curve
        begin = now()
        tour: NDArray[np.int32] = greedy(problem, backend="cpu")
        measured = (now() - begin) / problem.n
        GoodTour.seconds_per_city = min(GoodTour.seconds_per_city, measured)
        return tour

    def _search(self, problem: TSP, seconds_per_city: float) -> Any:
        hasty, size = seconds_per_city < HASTE, number_of_chains()
        moves, lists = (HASTY, NEAREST) if hasty else ((MOVES,), QUADRANT)
        every = MERGED / size / problem.n
        return self._chains(
            LocalSearch(moves, lists, First("step")),
            DoubleBridge(segment=KICK),
            accept=BetterOrEqual(),
            cooperation=Merging(every) if size > 1 else None,
        )


def add_good_tour(call: Call, chains: Callable[..., Any]) -> None:
    """On the CPU, replace a batch's first tour with a good one if descents would take too long.

    The good tour gets half of the time, and is used only if it is cheaper. Nothing happens if a
    search has already improved the tours.
    """
    problem, seconds, size = call.problem, call.budget.seconds, len(call.tours)
    limits = (call.budget.kicks, call.budget.moves)
    if not seconds or limits != (None, None) or not size or call.backend.name != "cpu":
        return
    work = DESCENT_SECONDS * problem.n * size / call.backend.processors
    with compiling():  # `serves` runs the compiler
        wanted = seconds <= work and GoodTour.serves(problem)
    if not wanted:
        return
    with call.statistics.phase("opening"):
        _replace_first(call, problem, GoodTour(chains))


def _replace_first(call: Call, problem: TSP, search: GoodTour) -> None:
    costs = tour_costs(call.backend, problem, call.tours)
    curve = problem.cost(space_filling_curve(problem, backend="cpu"))[0]
    if costs.min() < FOUND_BY_SEARCH * curve:
        return
    seconds = call.stopwatch.left / 2
    with compiling():
        search.compile(problem, seconds)
    limits = Budget(seconds=seconds, target=call.budget.target)
    found = search(problem, seed=call.seed, budget=limits)
    if found.statistics.interrupted:
        call.stop("interrupt")
    if found.best_cost < costs[0]:
        call.tours[0] = call.backend.xp.asarray(found.best_tour)
