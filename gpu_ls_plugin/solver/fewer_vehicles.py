"""How many vehicles chains may use: fewer than they come to by themselves, where that pays.

Chains that anneal open routes while it is hot, and cannot close them again when it is cold. Under a
limit of the fleet they end at other routes, often much shorter ones; a short try says whether.
"""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeGuard

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.solver.opened import Opened, rank
from gpu_ls_plugin.solver.settings import KICKS_OF_ROUTES, left_alone

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

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


def pay(problem: Problem, given: Settings, chosen: Settings) -> TypeGuard[CVRP]:
    """Return whether routes are searched by chains that had better find out how many vehicles.

    What somebody asked for is taken as it is: a search, starts, limits other than time, a fleet.

    Parameters
    ----------
    problem : Problem
    given, chosen : Settings
        As they were asked for, and completed.
    """
    if not left_alone(problem, given, chosen) or problem.fleet is not None:
        return False
    backend, seconds = get_backend(chosen.backend).name, seconds_of_a_try(chosen.seconds)
    return seconds * KICKS_OF_ROUTES[backend] >= KICKS[backend] * problem.n


def seconds_of_a_try(left: float) -> float:
    """Return for how long a try searches where so many seconds are left at first."""
    return min(SHARE * left, LONGEST)


def one_fewer(problem: CVRP, tour: NDArray[Any], tried: int) -> int | None:
    """Return the fleet to be tried next, None where the best tour's is the last one.

    Parameters
    ----------
    problem : CVRP
    tour : array, shape (n,), int32
        The best one so far.
    tried : int
        Tries of fewer vehicles before.
    """
    fleet = len(problem.routes(tour)) - 1
    return fleet if tried < MOST and fleet >= problem.least_vehicles else None


class FewerVehicles(Opened):
    """Short searches, each with one vehicle fewer than the best so far, as long as that is better.

    Parameters
    ----------
    problem : CVRP
    chosen : Settings
        Completed.
    chains, rehearse : callable
        Search with a fleet, or without one, for so many seconds; compile for a fleet.
    """

    def __init__(self, problem: CVRP, chosen: Settings, chains: Chains, rehearse: Rehearse) -> None:
        super().__init__(chosen)
        self._problem, self._chains, self._rehearse = problem, chains, rehearse

    def compile(self) -> None:
        """Compile for a fleet, whose prices may need wider numbers."""
        self._rehearse(self._problem.least_vehicles)

    def begin(self, watch: Stopwatch, callback: Callback | None) -> None:
        """Try one fleet after the other."""
        seconds = seconds_of_a_try(watch.left)
        self.found = self._chains(None, seconds, callback)
        for tried in count():
            fleet = one_fewer(self._problem, self.found.best_tour, tried)
            if self.done or fleet is None:
                return
            before = self.found
            found = self.search_on(watch, callback, partial(self._chains, fleet, seconds))
            if found is None or rank(found) >= rank(before):
                return
            self.fleet = fleet
