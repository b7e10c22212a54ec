"""One run of a decomposed search: its rounds and their statistics."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.core.history import Point, note
from gpu_ls_plugin.core.result import Progress
from gpu_ls_plugin.routes.searches.decomposition.cuts import grouped
from gpu_ls_plugin.routes.searches.decomposition.sub_problem import Found, SubProblem, search_part
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.cooperation.base import MOST_KICKS_PER_CITY

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.routes.searches.decomposition.sub_problem import Routes
    from gpu_ls_plugin.runs.team import Team
    from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
    from gpu_ls_plugin.tours.searches.search_call import Call

# Number of row numbers per round. Chains with distinct row numbers draw distinct random numbers.
# The first block of row numbers is left to searches of whole tours.
ROWS_OF_ROUND = 1 << 24
CHAINS_OF_BLOCK = 16  # number of chains in a block of a GPU (`routes/kernels/linked_rows.py`)
LEAST_SECONDS = 0.25  # minimum per round; making parts takes a few hundredths of a second


class DecomposedRun:
    """Rounds that cut the problem, search its parts side by side with `search`, and join them.

    The run begins with feasible `routes`; later, `routes` are the best so far. `chains` is the
    total number of chains, `parts` the number of parts. This run is part of a longer one with at
    most `rounds` rounds; `share` has the shares of the longer run, 0 to 1, at which this run
    begins and ends.
    """

    def __init__(
        self,
        search: IteratedLocalSearch,
        call: Call,
        whole: CVRP,
        routes: Routes,
        chains: int,
        *,
        parts: int,
        rounds: int,
        share: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self.search, self.call, self.whole, self.routes = search, call, whole, routes
        self.price: Any = 1.0  # as in `search_part`
        self.parts, self.moves_left = parts, call.max_moves
        self.chains = chains_of_part(chains, parts)
        budget = call.budget
        limited = (budget.kicks, budget.moves, budget.seconds) != (None, None, None)
        kicks = budget.kicks if limited else search.own_kicks(whole)
        # The chains make as many kicks in all as `chains` chains would on whole tours.
        self.kicks = None if kicks is None else kicks * chains // (self.chains * parts)
        seconds = math.inf if budget.seconds is None else call.stopwatch.left
        self.begin, self.ahead = share[0], share[1] - share[0]
        self.rounds = int(max(1, min(round(rounds * self.ahead), seconds / LEAST_SECONDS)))
        self._random = np.random.default_rng(call.seed)
        self._turn = int(self._random.integers(2)) if self.begin > 0 else 0  # turn of the first cut
        # Kicks and gain of each part in the current round, by the part's first row.
        self._seen: dict[int, tuple[int, float]] = {}

    def go(self, team: Team) -> None:
        """Make all rounds; Ctrl-C ends them."""
        try:
            self._go(team)
        except KeyboardInterrupt:
            self.call.stop("interrupt")

    def _go(self, team: Team) -> None:
        self._report()
        for number in range(self.rounds):
            if self.call.stopwatch.left <= 0:
                self.call.statistics.stopped_by = "seconds"
                return
            self._round(number, team)
            self._report()
            if team.interrupted:
                self.call.stop("interrupt")
            elif self.moves_left <= 0:
                self.call.stop("moves")
            if self.call.stopped:
                return
        if self.kicks is None:
            self.call.statistics.stopped_by = "seconds"

    def _round(self, number: int, team: Team) -> None:
        """Cut the problem, search the parts, and join their routes."""
        statistics = self.call.statistics
        with statistics.phase("cuts"):
            turn = number + self._turn
            groups = grouped(self.whole, self.routes, self.parts, turn, self._random)
        stretch = self._stretch(number, -(-len(groups) // team.lanes))
        first = self.call.first_row + (number + 1) * ROWS_OF_ROUND
        spare, rest = divmod(self.whole.copies - len(self.routes), len(groups))
        tasks: list[Callable[[], Found]] = []
        for place, group in enumerate(groups):
            vehicles = len(group) + spare + ((place + number) % len(groups) < rest)
            routes = [self.routes[route] for route in group]
            row = first + place * self.chains
            tasks.append(partial(self._search, routes, vehicles, stretch, row, team))
        with statistics.phase("kicks"):
            found = team.work(tasks, partial(self._look, team))
        self._join(found)

    def _search(
        self, routes: Routes, vehicles: int, stretch: Stretch, first_row: int, team: Team
    ) -> Found:
        """Search a part, which consists of some routes and the depot, in a separate thread."""

        def launched(kicks: int, gain: float) -> bool:
            self._seen[first_row] = (kicks, gain)
            return team.stopped()

        sub = SubProblem.of(self.whole, routes, vehicles)
        return search_part(
            sub,
            _as_often(self.search, self.whole.n / sub.problem.n),
            self.call.backend,
            stretch,
            chains=self.chains,
            seed=self.call.seed,
            first_row=first_row,
            max_moves=self.moves_left,
            price=self.price,
            launched=launched,
        )

    def _stretch(self, number: int, turns: int) -> Stretch:
        """Return the limits of one part in a round in which each lane searches `turns` parts."""
        kicks, left = None, self.call.stopwatch.left
        if self.kicks is not None:
            kicks = self.kicks * (number + 1) // self.rounds - self.kicks * number // self.rounds
        begin, end = (self.begin + self.ahead * done / self.rounds for done in (number, number + 1))
        seconds = max(0.0, left) / (self.rounds - number) / turns
        return Stretch(seconds, kicks, begin=begin, end=end)

    def _join(self, found: list[Found]) -> None:
        """Join the routes of all parts into the next tour, and add up their statistics."""
        statistics = self.call.statistics
        self._seen.clear()
        self.routes = [route for part in found for route in part.routes]
        self.price = np.mean([part.price for part in found], axis=0)
        if self.moves_left < NO_LIMIT:
            self.moves_left -= max(part.moves for part in found)
        for part in found:
            part.statistics.phases.clear()  # the times of parallel threads do not add up
            statistics.add(part.statistics)

    def _look(self, team: Team) -> None:
        """Report progress while parts are searched; end the round once the target is reached."""
        self._tell()
        target = self.call.budget.target
        gained = sum(gain for _, gain in list(self._seen.values()))
        if target is not None and self.cost - gained <= target:
            team.stop()

    def _report(self) -> None:
        """Add the joined tour to the history, tell the callback, and stop at the target."""
        self.cost: int | float = self.whole.cost(self.whole.tour(self.routes))[0].item()
        self._tell(improved=note(self.call.statistics.history, self._point()))
        target = self.call.budget.target
        if target is not None and self.cost <= target:
            self.call.stop("target")

    def _tell(self, *, improved: bool = False) -> None:
        """Report progress to the callback, with the latest joined tour."""
        call, statistics = self.call, self.call.statistics
        if call.callback is None:
            return
        more: dict[str, Any] = {
            "kicks": statistics.kicks + sum(kicks for kicks, _ in list(self._seen.values())),
            "improved": improved,
            "best_tours": lambda: self.whole.tour(self.routes)[np.newaxis],
        }
        call.callback(Progress.of(statistics, self._point(), 1, **more))

    def _point(self) -> Point:
        """Return the current point of the history."""
        call = self.call
        return Point(call.stopwatch.elapsed, call.statistics.kicks, self.cost, float(self.cost))


def _as_often(search: IteratedLocalSearch, times: float) -> IteratedLocalSearch:
    """Return a search whose chains exchange as often as on a problem `times` times as large."""
    if search.cooperation is None:
        return search
    every = min(search.cooperation.every * times, MOST_KICKS_PER_CITY)
    return replace(search, cooperation=replace(search.cooperation, every=every))  # type: ignore[type-var]


def chains_of_part(chains: int, parts: int) -> int:
    """Return the number of chains on each part, rounded down to full blocks if it fills one."""
    each = max(1, chains // parts)
    return each if each < CHAINS_OF_BLOCK else each - each % CHAINS_OF_BLOCK
