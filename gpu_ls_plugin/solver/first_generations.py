"""How a solve of few customers, or of much time, begins: by generations of many populations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.construction import savings
from gpu_ls_plugin.problems.cvrp import CVRP
from gpu_ls_plugin.searches import HybridGeneticSearch
from gpu_ls_plugin.solver.opened import Opened, behind, joined
from gpu_ls_plugin.solver.settings import left_alone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.budget import Stopwatch
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


def first_generations(
    problem: Problem, given: Settings, chosen: Settings
) -> FirstGenerations | None:
    """Return how a solve of routes begins, None where chains have all of the time."""
    searches = first_searches(problem, given, chosen)
    if not searches:
        return None
    assert isinstance(problem, CVRP)
    return FirstGenerations(problem, chosen, searches)


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
    """Hybrid genetic searches before chains, in a share of the time.

    Chains go on from starts of their own: from what generations have found they would seldom get
    elsewhere.

    Parameters
    ----------
    problem : CVRP
    chosen : Settings
        Completed.
    searches : dict
        By the seconds at which each ends.
    """

    def __init__(
        self, problem: CVRP, chosen: Settings, searches: dict[float, HybridGeneticSearch]
    ) -> None:
        super().__init__(chosen)
        self._problem, self._backend = problem, get_backend(chosen.backend)
        self._searches = searches

    def compile(self) -> None:
        """Compile what is run."""
        for search in self._searches.values():
            size = search.populations(self._backend)
            search.prepare(self._problem, size, backend=self._backend)

    def begin(self, watch: Stopwatch, callback: Callback | None) -> None:
        """Search for a share of the time, by one search after the other."""
        for number, (end, search) in enumerate(self._searches.items()):
            begin, first = watch.elapsed, not number
            found = search(
                self._problem,
                self._starts(search),
                seed=self.chosen.seed,
                budget=self.chosen.budget(max(0.0, end - begin)),
                backend=self._backend,
                callback=callback if first else callback and behind(callback, self.found, begin),
            ).sorted()
            self.found = found if first else joined(self.found, found, begin)
            if self.done:
                return

    def _starts(self, search: HybridGeneticSearch) -> NDArray[Any]:
        size, seed = search.populations(self._backend), self.chosen.seed
        tours: NDArray[Any] = savings(self._problem, size=size, seed=seed, backend=self._backend)
        return tours
