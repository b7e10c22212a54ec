"""What islands count together, and how it is told."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.history import Point, note
from gpu_ls_plugin.core.result import Progress, Statistics

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.distributed.orders import Report
    from gpu_ls_plugin.runs.elites import Elites


@dataclass(frozen=True)
class IslandLine:
    """What there is to see of an island.

    `state` is "searching", "waiting" for a worker or for others, or "done"; `lives` says how often
    it has begun anew.
    """

    island: int
    worker: str
    backend: str
    state: str
    stretches: int
    lives: int
    best: float | None
    mean: float | None
    kicks: int


@dataclass(frozen=True)
class IslandProgress(Progress):
    """A `Progress` of all islands together, with a line for each of them."""

    islands: tuple[IslandLine, ...] = ()


@dataclass
class Island:
    """An island as the coordinator knows it."""

    number: int
    elites: Elites  # as of its last report
    rows: Any = None
    size: int | None = None
    life: int = 0  # which random numbers it draws
    anew: int = 0  # how often it has begun anew in this run
    stretches: int = 0
    kicks: int = 0  # of each row
    token: object = None  # of the task that is under way
    done: bool = False
    waiting_since: float | None = None  # when it asked for a worker
    worker: str = ""
    backend: str = ""
    rows_searched: int = 0
    mean: float | None = None
    total_kicks: int = 0
    running_kicks: int = 0
    begun: float | None = None
    reported: float = 0.0
    searched: float = 0.0

    @property
    def first_rows(self) -> Any:
        """Rows from which the island begins where it is not yet: given ones, or its last elites."""
        if self.rows is not None and not self.stretches:
            return self.rows
        return self.elites.rows if len(self.elites) else None

    def line(self) -> IslandLine:
        """Return what there is to see."""
        state = "done" if self.done else "searching" if self.token is not None else "waiting"
        return IslandLine(
            self.number,
            self.worker,
            self.backend,
            state,
            self.stretches,
            self.anew,
            float(self.elites.costs[0]) if len(self.elites) else None,
            self.mean,
            self.total_kicks + self.running_kicks,
        )


@dataclass
class Tally:
    """What all islands have counted."""

    problem: Problem
    statistics: Statistics = field(default_factory=lambda: Statistics(stopped_by="kicks"))
    begin: float = 0.0

    def add(self, island: Island, report: Report, elapsed: float) -> None:
        """Take a report."""
        self.statistics.add(report.statistics)
        self.statistics.backend = report.statistics.backend or self.statistics.backend
        island.stretches += 1
        island.elites, island.mean, island.size = report.elites, report.mean, report.size
        island.rows_searched, island.searched = report.size, island.searched + report.searched
        island.total_kicks += report.statistics.kicks
        island.running_kicks, island.reported = 0, elapsed

    def point(self, islands: list[Island], best: Elites, elapsed: float) -> bool:
        """Note the costs at a moment; return whether the best cost, of a feasible row, is new."""
        if not len(best):
            return False
        cost = best.costs[0].item()
        mean = self._mean(islands, cost)
        now = Point(elapsed, self.statistics.kicks, cost if best.feasible[0] else math.inf, mean)
        return note(self.statistics.history, now)

    def progress(
        self, islands: list[Island], best: Elites, elapsed: float, improved: bool
    ) -> IslandProgress:
        """Return what is told of a moment at which something is known of some island."""
        cost = best.costs[0].item()
        running = sum(island.running_kicks for island in islands)
        return IslandProgress(
            elapsed=elapsed,
            best_cost=cost,
            mean_cost=self._mean(islands, cost),
            moves=self.statistics.moves,
            evaluations=self.statistics.evaluations,
            done=0,
            total=sum(island.rows_searched for island in islands),
            kicks=self.statistics.kicks + running,
            accepted=self.statistics.accepted,
            improved=improved,
            restarts=self.statistics.restarts,
            best_tours=lambda: best.rows,
            islands=tuple(island.line() for island in islands),
        )

    def exchange_seconds(self, islands: list[Island]) -> float:
        """Return how long an island has not searched between its first and its last stretch."""
        idle = [
            island.reported - island.begun - island.searched
            for island in islands
            if island.begun is not None and island.stretches
        ]
        return max(0.0, sum(idle) / len(idle)) if idle else 0.0

    def _mean(self, islands: list[Island], cost: float) -> float:
        known = [(i.mean, i.rows_searched) for i in islands if i.mean is not None]
        rows = sum(size for _, size in known)
        return sum(mean * size for mean, size in known) / rows if rows else float(cost)
