"""The first moments of a search by time: one good tour, made by the cores of the host.

A greedy tour becomes a local optimum in milliseconds, where a population of random tours needs
tenths of a second for its first one. From there chains of kicks go on, one for each core, on
copies of that tour, which are merged: all go on from what each of them has improved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import Budget, Stopwatch, compiling, now
from gpu_ls_plugin.core.history import shifted
from gpu_ls_plugin.core.result import Result, Statistics, later
from gpu_ls_plugin.runs.acceptance import BetterOrEqual
from gpu_ls_plugin.tours.candidates import near_cities
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.construction.greedy import CANDIDATES as OF_GREEDY
from gpu_ls_plugin.tours.construction.greedy import greedy
from gpu_ls_plugin.tours.construction.space_filling_curve import space_filling_curve
from gpu_ls_plugin.tours.crossovers.merging import Merging
from gpu_ls_plugin.tours.engines.chains.chain_layouts import LONGEST_WHOLE
from gpu_ls_plugin.tours.engines.pivoting import First
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.kernels.sites import Sites
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighanLead
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import numpy as np
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback
    from gpu_ls_plugin.tours.searches.call import Call

SMALLEST = 12  # cities
MOST_CHAINS = 16
KICK = 300  # cities of a double bridge's window
NEAREST, QUADRANT = Nearest(OF_GREEDY), Quadrant(8)
MOVES = LinKernighanLead(12, (8, 8, 1))  # all candidates: the first move that is found is taken
# Seconds for a city, below which the lists of the greedy tour have to do, and moves that lead to
# better local optima but make kicks slower.
HASTE, HASTY = 5e-6, (LinKernighanLead(5), OrOpt(3))
MERGED = 1200  # kicks of all chains together between two mergings
GREEDY_SECONDS = 2.5e-6  # for a city, until one has been measured
LATE = 0.02  # seconds that a call may take longer, for a greedy tour ...
DESCENT = 0.02  # ... and for the first seconds of a descent from it
DESCENT_SECONDS = 7e-6  # of a descent from a random tour, for a city, on a thread
FOUND_BY_SEARCH = 0.9  # of the length of a space-filling curve: local optima are shorter
_compiled: set[Hashable] = set()  # kinds of problems


def chains() -> int:
    """Return how many chains an opening has: one for each core."""
    return min(get_backend("cpu").processors, MOST_CHAINS)


class Opening:
    """One tour in little time, of a problem of which `serves` is true."""

    measured = GREEDY_SECONDS  # least seconds that a city of a greedy tour took

    def __init__(self, problem: TSP, seed: int, kind: Callable[..., Any]) -> None:
        self.problem, self.seed, self._kind = problem, seed, kind
        self.chains = chains()

    @staticmethod
    def serves(problem: Problem) -> bool:
        """Return whether tours of a problem can be opened: whole ones in the plane."""
        return (
            type(problem) is TSP
            and problem.coordinates is not None
            and SMALLEST <= problem.n <= LONGEST_WHOLE
            and problem.symmetric
            and problem.objective.length_alone
            and near_cities.compiles()
        )

    def compile(self) -> None:
        """Compile all that is needed, once in a process for all problems alike."""
        sites = Sites.of(get_backend("cpu"), self.problem, table=True)
        alike = (type(self.problem.metric), sites.grid, sites.length, self.chains)
        if alike in _compiled:
            return
        for seconds_for_city in (0.0, HASTE):
            search = self._search(seconds_for_city)
            search.prepare(self.problem, self.chains, backend="cpu")
        assert self.problem.coordinates is not None
        some = TSP(self.problem.coordinates[: 2 * SMALLEST], self.problem.metric)
        greedy(some, backend="cpu")
        _compiled.add(alike)

    def run(
        self,
        budget: Budget,
        callback: Callback | None = None,
        tours: NDArray[np.int32] | None = None,
    ) -> Result:
        """Return as good tours, maybe made of given ones, as there is time for, the best first."""
        watch = Stopwatch(budget)
        if tours is None:
            tours = self._first(watch).repeat(self.chains, axis=0)
        begin, ahead = watch.elapsed, watch.ahead
        left = max(0.0, ahead, min(DESCENT, ahead + LATE))
        found: Result | None = None
        try:
            found = self._search(left / self.problem.n)(
                self.problem,
                tours,
                seed=self.seed,
                budget=replace(budget, seconds=left),
                backend="cpu",
                callback=callback and later(callback, begin),
            )
            statistics = found.statistics
            history = shifted(statistics.history, begin)
            statistics = replace(statistics, history=history, seconds=watch.elapsed)
            return replace(found, statistics=statistics).sorted()
        except KeyboardInterrupt:  # while the search began or ended
            tours = tours if found is None else found.tours
            interrupted = Statistics(backend="cpu", seconds=watch.elapsed, stopped_by="interrupt")
            return Result(tours, self.problem.cost(tours), interrupted, self.problem).sorted()

    def _first(self, watch: Stopwatch) -> NDArray[np.int32]:
        """Return a greedy tour, or a space-filling curve where there is no time for that."""
        n = self.problem.n
        if Opening.measured * n > watch.ahead + LATE:
            curve: NDArray[np.int32] = space_filling_curve(self.problem, backend="cpu")
            return curve
        begin = now()
        tour: NDArray[np.int32] = greedy(self.problem, backend="cpu")
        Opening.measured = min(Opening.measured, (now() - begin) / n)
        return tour

    def _search(self, seconds_for_city: float) -> Any:
        hasty = seconds_for_city < HASTE
        moves, lists = (HASTY, NEAREST) if hasty else ((MOVES,), QUADRANT)
        every = MERGED / self.chains / self.problem.n
        return self._kind(
            LocalSearch(moves, lists, First("step")),
            DoubleBridge(segment=KICK),
            accept=BetterOrEqual(),
            cooperation=Merging(every) if self.chains > 1 else None,
        )


def open_batch(call: Call, kind: Callable[..., Any]) -> None:
    """Give a CPU's batch, if there is no time to descend from it, one good tour as its first.

    Half of the time is for that tour. It takes the place of a tour that is costlier, and nothing
    happens where tours are better already than those that are made without a search.
    """
    problem, seconds, size = call.problem, call.budget.seconds, len(call.tours)
    limits = (call.budget.kicks, call.budget.moves)
    if not seconds or limits != (None, None) or not size or call.backend.name != "cpu":
        return
    work = DESCENT_SECONDS * problem.n * size / call.backend.processors
    with compiling():  # asks for a compiler
        opens = seconds <= work and Opening.serves(problem)
    if not opens:
        return
    with call.statistics.phase("opening"):
        _open(call, problem, kind)


def _open(call: Call, problem: TSP, kind: Callable[..., Any]) -> None:
    costs = tour_costs(call.backend, problem, call.tours)
    curve = problem.cost(space_filling_curve(problem, backend="cpu"))[0]
    if costs.min() < FOUND_BY_SEARCH * curve:
        return
    seconds = call.stopwatch.left / 2
    opening = Opening(problem, call.seed, kind)
    with compiling():
        opening.compile()
    found = opening.run(Budget(seconds=seconds, target=call.budget.target))
    if found.statistics.interrupted:
        call.stop("interrupt")
    if found.best_cost < costs[0]:
        call.tours[0] = call.backend.xp.asarray(found.best_tour)
