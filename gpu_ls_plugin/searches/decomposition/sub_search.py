"""The chains that search one sub-problem for one round."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.result import Statistics
from gpu_ls_plugin.searches.chains.priced_chains import PricedChains
from gpu_ls_plugin.searches.chains.start import Start
from gpu_ls_plugin.searches.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.acceptance import Acceptance
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.searches.chains.chains import Chains
    from gpu_ls_plugin.searches.decomposition.sub_problem import Routes, SubProblem
    from gpu_ls_plugin.searches.iterated import IteratedLocalSearch


@dataclass(frozen=True)
class Stretch:
    """A part of a run: what all sub-problems of a round have in common.

    Attributes
    ----------
    begin, end : float
        Shares of the run that are over, on which acceptance depends.
    kicks : int or None
        Of each chain.
    seconds : float
        That a sub-problem has.
    max_moves : int
        Moves after which a chain stops.
    price : float
        Of violations, at first.
    """

    begin: float
    end: float
    kicks: int | None
    seconds: float
    max_moves: int
    price: float

    def levels(
        self, accept: Acceptance, watch: Stopwatch
    ) -> Callable[[int, int], tuple[float, float]]:
        """Return which heat and cooling two numbers of kicks have."""

        def at(share: float) -> float:
            return accept.level(self.begin + min(1.0, share) * (self.end - self.begin))

        def by_kicks(done: int, to: int) -> tuple[float, float]:
            return at(0.0), (at(0.0) - at(1.0)) / max(1, self.kicks or 0)

        def by_time(done: int, to: int) -> tuple[float, float]:
            high = at(watch.elapsed / self.seconds)
            low = at((watch.elapsed + tuning.LAUNCH_SECONDS) / self.seconds)
            cooling = (high - low) / max(1, to - done)
            return high + cooling * done, cooling

        return by_kicks if self.seconds == math.inf else by_time


@dataclass(frozen=True)
class Found:
    """What the chains of a sub-problem have found.

    Attributes
    ----------
    routes : list of lists of int
        Customers are numbered as in the whole problem.
    price : float
        Of violations, at last.
    moves : int
        The most of a chain.
    """

    routes: Routes
    statistics: Statistics
    price: float
    moves: int


def search_part(
    sub: SubProblem,
    search: IteratedLocalSearch,
    backend: Backend,
    stretch: Stretch,
    *,
    chains: int,
    seed: int,
    first_row: int,
    launched: Callable[[int, float], bool],
) -> Found:
    """Return the best routes that chains find which all begin with those of a sub-problem.

    After each launch `launched` is told the kicks of all chains so far and by how much the best of
    them is cheaper than at first, and says whether that is enough. The device's arrays live no
    longer than the call.
    """
    watch, statistics = Stopwatch.of(stretch.seconds), Statistics()
    xp, tsp = backend.xp, sub.problem.tsp
    tours = xp.tile(xp.asarray(sub.tour), (chains, 1))
    start = Start(backend, tsp, tours, seed, first_row, stretch.max_moves)
    its = search.chains(start)
    if sub.problem.penalties is not None and isinstance(its, PricedChains):
        its.reprice(stretch.price)
    rounds = Rounds(its, search.search, search.cooperation, statistics)
    until = NO_LIMIT if stretch.kicks is None else stretch.kicks
    levels = stretch.levels(search.accept, watch)
    begin, enough = _best_cost(its), launched(0, 0.0)
    while its.behind(until) and watch.left > 0 and not enough:
        rounds.launch(until, levels, watch.left)
        enough = launched(rounds.done * chains, begin - _best_cost(its))
    _count(its, statistics)
    moves = int(its.moves.max())
    return Found(_best_routes(sub, its), statistics, getattr(its, "price", 1.0), moves)


def _best_cost(chains: Chains) -> float:
    return float(chains.best_costs.min())


def _count(chains: Chains, statistics: Statistics) -> None:
    """Note what chains have counted."""
    backend = chains.start.backend
    counts = backend.xp.stack((chains.kicks, chains.accepted, chains.moves, chains.looks))
    kicks, accepted, moves, looks = backend.to_numpy(counts.sum(axis=1)).tolist()
    statistics.kicks, statistics.accepted, statistics.moves = kicks, accepted, moves
    statistics.passes, statistics.evaluations = looks, looks * chains.moves_per_look()


def _best_routes(sub: SubProblem, chains: Chains) -> Routes:
    """Return the routes of the cheapest best tour, or those at first where it is none."""
    row = int(chains.best_costs.argmin())
    tour: Any = chains.start.backend.to_numpy(chains.best_tours[row])
    problem = sub.problem
    better = problem.cost(tour)[0] < problem.cost(sub.tour)[0] and problem.feasible(tour)[0]
    return sub.routes(tour if better else sub.tour)
