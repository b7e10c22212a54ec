"""How a solve begins: by one good tour, and for how long, by what is known of the device."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.problems.tsp import tour_problem
from gpu_ls_plugin.searches.opening import Opening, chains
from gpu_ls_plugin.solver.opened import Opened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.budget import Stopwatch
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Callback
    from gpu_ls_plugin.solver.settings import Settings

# Kicks of one tour for each city, all cores together, in whose time a population comes to be ahead
# of it: where there is less, all the time is the tour's. It has a share of it in any case.
KICKS_ALONE, SHARE = 3.0, 0.25
KICKS_PER_SECOND = 2.5e4  # of a core, until they have been measured
OF_A_GPU, LEAST_ON_GPU = 1e-5, 0.004  # seconds for a city, and in all, that its population needs


def first_moments(problem: Problem, given: Settings, chosen: Settings) -> FirstMoments | None:
    """Return how a solve begins, None where it begins by the tours of a population.

    What somebody asked for is taken as it is: a search, starts, or limits other than time.
    """
    if not given.by_time_alone or not Opening.serves(problem):
        return None
    opened = FirstMoments(tour_problem(problem), chosen, fixed_size=given.population is not None)
    return opened if opened.alone or get_backend(chosen.backend).name == "cpu" else None


class FirstMoments(Opened):
    """One good tour of the CPU, before a population of its threads, or in place of a GPU's.

    Parameters
    ----------
    problem : TSP
    chosen : Settings
        Completed.
    fixed_size : bool
        Whether the size of the population was asked for.
    """

    def __init__(self, problem: TSP, chosen: Settings, *, fixed_size: bool) -> None:
        super().__init__(chosen)
        self._n = problem.n
        self._fixed_size = fixed_size
        needed = self._needed(KICKS_PER_SECOND * chains())
        if get_backend(chosen.backend).name != "cpu":
            needed = OF_A_GPU * problem.n + LEAST_ON_GPU
        self.alone = chosen.seconds < needed and not fixed_size
        self._seconds = chosen.seconds if self.alone else min(chosen.seconds, SHARE * needed)
        self._opening = Opening(problem, chosen.seed or 0)

    def _needed(self, kicks_per_second: float) -> float:
        """Return the seconds that a population needs to be ahead, by what one tour needs."""
        return KICKS_ALONE * self._n / kicks_per_second

    def compile(self) -> None:
        """Compile what is run."""
        self._opening.compile()

    def begin(self, watch: Stopwatch, callback: Callback | None) -> None:
        """Make the tour."""
        budget = self.chosen.budget(min(self._seconds, watch.left))
        self.found = self._opening.run(budget, callback)
        self._go_on(watch, callback)

    def _go_on(self, watch: Stopwatch, callback: Callback | None) -> None:
        """Go on alone where this machine turns out to be too slow for a population."""
        if self.alone or self.done or self._fixed_size:
            return
        own = self.found.statistics
        rate = own.kicks / max(own.phases.get("kicks", math.inf), 1e-6)
        if watch.left > self._needed(max(rate, 1.0)):
            return
        budget = self.chosen.budget(watch.left)
        tours = self.found.tours
        self.search_on(watch, callback, lambda later: self._opening.run(budget, later, tours))
        self.alone = True

    def join(self, tours: NDArray[Any]) -> None:
        """Let the tour be the first of a population's starts."""
        tours[0] = self.found.best_tour
