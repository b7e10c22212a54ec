"""How many vehicles chains may use: fewer than they come to by themselves, where that pays.

Chains that anneal open routes while it is hot, and cannot close them again when it is cold. Under a
limit of the fleet they end at other routes, often much shorter ones; a short try says whether.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.solver.opened import Opened, behind, joined, rank
from gpu_ls_plugin.solver.settings import KICKS_OF_ROUTES, left_alone

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.budget import Stopwatch
    from gpu_ls_plugin.problems.cvrp import CVRP
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Callback, Result
    from gpu_ls_plugin.solver.settings import Settings

    Chains = Callable[[int | None, float, Callback | None], Result]
    Rehearse = Callable[[int], None]

SHARE, LONGEST = 1 / 12, 60.0  # of the time, and in seconds: what a try takes
MOST = 4  # tries of fewer vehicles
# Kicks for each node, of a core or of a chain on a GPU, that a try has at least. A GPU's chains of
# fewer end with more routes than they would in all of the time, so that a limit misleads them.
KICKS = {"cuda": 12.0, "cpu": 5.0}


def fewer_vehicles(
    problem: Problem, given: Settings, chosen: Settings, chains: Chains, rehearse: Rehearse
) -> FewerVehicles | None:
    """Return how a solve of routes finds out how many vehicles to use, None where it does not.

    What somebody asked for is taken as it is: a search, starts, limits other than time, a fleet.

    Parameters
    ----------
    problem : Problem
    given, chosen : Settings
        As they were asked for, and completed.
    chains, rehearse : callable
        Search with a fleet, or without one, for so many seconds; compile for a fleet.
    """
    if not left_alone(problem, given, chosen) or problem.fleet is not None:
        return None
    backend = get_backend(chosen.backend).name
    if SHARE * chosen.seconds * KICKS_OF_ROUTES[backend] < KICKS[backend] * problem.n:
        return None
    return FewerVehicles(problem, chosen, chains, rehearse)


class FewerVehicles(Opened):
    """Short searches, each with one vehicle fewer than the best so far, as long as that is better.

    Parameters
    ----------
    problem : CVRP
    chosen : Settings
        Completed.
    chains, rehearse : callable
        As of `fewer_vehicles`.
    """

    def __init__(self, problem: CVRP, chosen: Settings, chains: Chains, rehearse: Rehearse) -> None:
        super().__init__(chosen)
        self._problem, self._chains, self._rehearse = problem, chains, rehearse
        self._least = max(1, -(-int(problem.demands.sum()) // problem.capacity))

    def compile(self) -> None:
        """Compile for a fleet, whose prices may need wider numbers."""
        self._rehearse(self._least)

    def begin(self, watch: Stopwatch, callback: Callback | None) -> None:
        """Try one fleet after the other."""
        seconds = min(SHARE * watch.left, LONGEST)
        self.found = self._chains(None, seconds, callback)
        for _ in range(MOST):
            fleet = len(self._problem.routes(self.found.best_tour)) - 1
            if self.done or fleet < self._least:
                return
            begin, before = watch.elapsed, self.found
            try:
                tried = self._chains(fleet, seconds, callback and behind(callback, before, begin))
            except KeyboardInterrupt:  # while no search could take it
                before.statistics.stopped_by = "interrupt"
                return
            self.found = joined(before, tried, begin)
            if rank(tried) >= rank(before):
                return
            self.fleet = fleet
