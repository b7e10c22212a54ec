"""How a solve of few customers, or of much time, begins: by generations of many populations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.construction import savings
from gpu_ls_plugin.searches import HybridGeneticSearch
from gpu_ls_plugin.solver.opened import Opened
from gpu_ls_plugin.solver.settings import left_alone

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.budget import Stopwatch
    from gpu_ls_plugin.problems.cvrp import CVRP
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Callback
    from gpu_ls_plugin.solver.settings import Settings

LEAST, OF_SQUARE = 120_000, 4  # children that are enough, and for the square of the customers
SHARE = 0.5  # of the time: where children are enough, chains have little left to do
LONGEST = 600.0  # seconds, of a solve without an end
SMALLER, LARGER = HybridGeneticSearch(), HybridGeneticSearch(size=50, children=64)
# A GPU has so many populations that larger ones find best known routes of 120 to 199 customers in
# 1 to 8 s. On a CPU, which has fewer, smaller ones have half of the time.
SEARCHES = {"cuda": (LARGER,), "cpu": (SMALLER, LARGER)}
# Children in a second: of a GPU, at most and for a customer, and of a core for a customer.
ON_GPU, OF_A_GPU, OF_A_CORE = 6e4, 1.2e7, 1.5e5


def first_searches(
    problem: Problem, given: Settings, chosen: Settings
) -> dict[float, HybridGeneticSearch]:
    """Return what searches routes before chains, by the seconds at which each ends.

    What somebody asked for is taken as it is: a search, starts, or limits other than time.

    Parameters
    ----------
    problem : Problem
    given, chosen : Settings
        As they were asked for, and completed.
    """
    if not left_alone(problem, given, chosen) or not problem.symmetric:
        return {}
    backend, customers = get_backend(chosen.backend), problem.customers
    seconds = min(SHARE * chosen.seconds, LONGEST)
    if seconds * _rate(backend, customers) < enough(customers):
        return {}
    searches = SEARCHES[backend.name]
    each = seconds / len(searches)
    return {each * number: search for number, search in enumerate(searches, 1)}


def enough(customers: int) -> int:
    """Return how many children are better than chains.

    Best known routes of 120, 142 and 199 customers, which chains do not find or not always, come
    with 40,000 to 100,000 children on a CPU. Of 302 and 410 a GPU's chains are far ahead at first;
    0.6 to 0.8 M children pass them for good.
    """
    return max(LEAST, OF_SQUARE * customers**2)


def _rate(backend: Backend, customers: int) -> float:
    """Return how many children there are in a second, about."""
    if backend.name == "cpu":
        return backend.processors * OF_A_CORE / customers
    return min(ON_GPU, OF_A_GPU / customers)


class FirstGenerations(Opened):
    """A hybrid genetic search before chains, for a share of the time.

    Chains go on from starts of their own: from what generations have found they would seldom get
    elsewhere.

    Parameters
    ----------
    problem : CVRP
    chosen : Settings
        Completed.
    end : float
        Seconds of the solve after which it ends.
    search : HybridGeneticSearch
    """

    def __init__(
        self, problem: CVRP, chosen: Settings, end: float, search: HybridGeneticSearch
    ) -> None:
        super().__init__(chosen)
        self._problem, self._backend = problem, get_backend(chosen.backend)
        self._search, self._end = search, end
        self._size = search.populations(self._backend)

    def compile(self) -> None:
        """Compile what is run."""
        self._search.prepare(self._problem, self._size, backend=self._backend)

    def begin(self, watch: Stopwatch, callback: Callback | None) -> None:
        """Search until the share of the time is over."""
        place: dict[str, Any] = {"seed": self.chosen.seed, "backend": self._backend}
        starts = savings(self._problem, size=self._size, **place)
        budget = self.chosen.budget(max(0.0, self._end - watch.elapsed))
        found = self._search(self._problem, starts, budget=budget, callback=callback, **place)
        self.found = found.sorted()
