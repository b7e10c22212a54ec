"""What an island asks of its population."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.budget import Budget
from gpu_ls_plugin.distributed.elites import LOOKED_AT, Elites

if TYPE_CHECKING:
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Statistics
    from gpu_ls_plugin.runs.stretch import Stretch

# Called after each launch with the best cost, the mean cost and the kicks of a stretch; returns
# whether the search is to stop.
Seen = Callable[[float, float, int], bool]


@dataclass(frozen=True)
class Place:
    """Where and how a population is searched.

    Attributes
    ----------
    problem : Problem
    searched : Problem
        The same, or under soft constraints.
    search : callable
    backend : str
    seed, first_row : int
        No other population of the run has the same numbers.
    moves : int or None
        Limit for each row.
    target : float or None
    memory_limit : int or None
    alone : bool
        Whether there are no other islands.
    """

    problem: Problem
    searched: Problem
    search: Any
    backend: str
    seed: int
    first_row: int
    moves: int | None = None
    target: float | None = None
    memory_limit: int | None = None
    alone: bool = True

    def budget(self, stretch: Stretch) -> Budget:
        """Return what a search may spend on a stretch."""
        seconds = None if stretch.seconds == float("inf") else max(0.0, stretch.seconds)
        return Budget(seconds, stretch.kicks, self.moves, self.target)


class Population(ABC):
    """Rows that are searched, here and nowhere else.

    Attributes
    ----------
    finished : bool
        Whether going on would change nothing.
    """

    finished: bool = False

    @abstractmethod
    def advance(self, stretch: Stretch, number: int, seen: Seen) -> Statistics:
        """Search for a stretch, the run's so-and-so-manieth; return what was counted."""

    @abstractmethod
    def rows(self) -> tuple[Any, Any]:
        """Return the best rows (P, n) and their costs (P,), as arrays of the backend."""

    @abstractmethod
    def adopt(self, rows: Any, costs: Any) -> None:
        """Let the worst rows go on from others, which are on the host, where these are better."""

    def elites(self, problem: Problem, best: int, distant: int) -> Elites:
        """Return what stands for the population."""
        rows, costs = self.rows()
        order, looked_at = on_host(costs).argsort(kind="stable"), best + LOOKED_AT
        few = 2 * looked_at  # of many rows leave a GPU, and more where these break constraints
        while True:
            first = order[:few].tolist()
            found = Elites.of(problem, rows[first], costs[first])
            if few >= len(order) or len(found.allowed) >= looked_at:
                return found.chosen(problem, best, distant)
            few *= 8

    def welcome(self, problem: Problem, guests: Elites) -> None:
        """Adopt rows of other islands that break no constraint and are not here already.

        The best row stays: no more are adopted than there are others.
        """
        arriving = guests.allowed
        if not len(arriving):
            return
        rows, costs = self.rows()
        alike = np.flatnonzero(np.isin(on_host(costs), arriving.costs)).tolist()
        if alike:
            own = Elites.of(problem, rows[alike], costs[alike])
            arriving = arriving.without(problem, own)
        arriving = arriving.take(slice(max(1, len(costs) - 1)))
        if len(arriving):
            self.adopt(arriving.rows, arriving.costs)
