"""How a solve begins: by a search of its own, before that of a population or in place of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.history import merged, shifted
from gpu_ls_plugin.result import TOLD, later

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.budget import Stopwatch
    from gpu_ls_plugin.result import Callback, Progress, Result, Statistics
    from gpu_ls_plugin.solver.settings import Settings

    Search = Callable[[Callback | None], Result]


class Opened(ABC):
    """A search before that of a population.

    Attributes
    ----------
    chosen : Settings
        Completed.
    alone : bool
        Whether no population follows, for there is no time for one.
    fleet : int or None
        To how many vehicles the population had better be limited, None for as many as it likes.
    found : Result
        What it has found, from `begin` on.
    """

    alone = False
    fleet: int | None = None
    found: Result

    def __init__(self, chosen: Settings) -> None:
        self.chosen = chosen

    @abstractmethod
    def compile(self) -> None:
        """Compile what is run."""

    @abstractmethod
    def begin(self, watch: Stopwatch, callback: Callback | None) -> None:
        """Search."""

    def run(self, watch: Stopwatch, callback: Callback | None) -> Result:
        """Search; return what was found."""
        self.begin(watch, callback)
        return self.found

    def join(self, tours: NDArray[Any]) -> None:
        """Let what was found be among a population's starts, if that helps."""
        return

    @property
    def done(self) -> bool:
        """Whether nothing is left to be done: no time, the target is reached, or Ctrl-C."""
        target = self.chosen.target
        found = self.found
        reached = target is not None and found.best_cost <= target and found.best_feasible
        return self.alone or reached or found.statistics.interrupted

    def result(self, before: Statistics, seconds: float, population: int | None) -> Result:
        """Return what was found, where nothing follows, as a population of the size asked for.

        These are the best, and all of them again where they are too few.
        """
        found, own = self.found, self.found.statistics
        rows = np.arange(population or len(found.tours)) % len(found.tours)
        statistics = replace(own, seconds=seconds, phases=before.phases | own.phases)
        tours, costs = found.tours[rows], found.costs[rows]
        return replace(found, tours=tours, costs=costs, statistics=statistics).sorted()

    def search_on(
        self, watch: Stopwatch, callback: Callback | None, search: Search
    ) -> Result | None:
        """Search once more, of which the best is kept; return what that found.

        None after Ctrl-C that no search could take, of which what was found before tells then.
        """
        begin, before = watch.elapsed, self.found
        try:
            found = search(callback and behind(callback, before, begin))
        except KeyboardInterrupt:
            before.statistics.stopped_by = "interrupt"
            return None
        self.found = joined(before, found, begin)
        return found

    def followed(self, callback: Callback) -> Callback:
        """Return a callback for what follows, to whose counts its own are added."""
        return behind(callback, self.found)

    def merged(self, found: Result) -> Result:
        """Return a population that has what was found, if none of its own is as good."""
        return joined(self.found, found)


class OneByOne(Opened):
    """Several searches before that of a population.

    Parameters
    ----------
    chosen : Settings
        Completed.
    openings : sequence of Opened
    """

    def __init__(self, chosen: Settings, openings: Sequence[Opened]) -> None:
        super().__init__(chosen)
        self._openings = openings

    def compile(self) -> None:
        """Compile what is run."""
        for opening in self._openings:
            opening.compile()

    def begin(self, watch: Stopwatch, callback: Callback | None) -> None:
        """Search by one after the other."""
        for number, opening in enumerate(self._openings):
            search = partial(opening.run, watch)
            if number == 0:
                self.found = search(callback)
            elif self.search_on(watch, callback, search) is None:
                return
            self.alone, self.fleet = opening.alone, opening.fleet
            if self.done:
                return

    def join(self, tours: NDArray[Any]) -> None:
        """Let what was found be among a population's starts, if that helps."""
        for opening in self._openings:
            opening.join(tours)


def behind(callback: Callback, before: Result, begin: float = 0.0) -> Callback:
    """Return a callback for a search that began after another one, and so many seconds later."""

    def added(progress: Progress) -> None:
        counts = {name: getattr(progress, name) + getattr(before.statistics, name) for name in TOLD}
        best = min(progress.best_cost, before.best_cost)
        callback(replace(progress, best_cost=best, **counts))

    return later(added, begin)


def joined(before: Result, found: Result, begin: float = 0.0) -> Result:
    """Return what was found, and the best of what was found before if that is better.

    `begin` is when what was found later began, where its own history does not say so.
    """
    tours, costs = found.tours.copy(), found.costs.copy()
    if rank(before) < rank(found):
        tours[-1], costs[-1] = before.best_tour, before.best_cost
    own, others = before.statistics, found.statistics
    statistics = replace(others, history=merged(own.history, shifted(others.history, begin)))
    statistics.add_counts(own)
    return replace(found, tours=tours, costs=costs, statistics=statistics).sorted()


def rank(found: Result) -> tuple[float, float]:
    """Return by how much the best row breaks constraints, and its cost: less is better."""
    if found.best_feasible:
        return 0.0, found.best_cost
    assert found.problem is not None
    return max(1e-300, float(found.problem.excess(found.best_tour)[0])), found.best_cost
