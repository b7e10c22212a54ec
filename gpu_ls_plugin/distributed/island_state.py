"""The coordinator's record of each island, and the totals of all islands."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.history import Point, note
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.distributed.progress import IslandLine, IslandProgress
from gpu_ls_plugin.runs.elites import joined

if TYPE_CHECKING:
    from gpu_ls_plugin.distributed.messages import Report
    from gpu_ls_plugin.distributed.run import IslandRun
    from gpu_ls_plugin.runs.elites import Elites


@dataclass
class Island:
    """One island as the coordinator sees it."""

    number: int
    elites: Elites  # rows that it offers, as of its last report
    rows: Any = None  # given initial rows, if any
    size: int | None = None  # number of rows in the population, if it is known
    life: int = 0  # selects the stream of random numbers; each restart begins a new life
    restarts: int = 0  # number of restarts in this run
    stretches: int = 0
    kicks: int = 0  # per row
    token: object = None  # identifies the running task
    done: bool = False
    waiting_since: float | None = None  # when it began to wait for a worker, in seconds of the run
    worker: str = ""
    backend: str = ""
    rows_searched: int = 0
    mean: float | None = None
    total_kicks: int = 0  # of all rows, as of its last report
    running_kicks: int = 0  # of all rows, in the stretch that is running
    begun: float | None = None  # when its first stretch began, in seconds of the run
    reported: float = 0.0  # when its last report arrived, in seconds of the run
    searched: float = 0.0  # seconds of search so far

    @property
    def first_rows(self) -> Any:
        """Rows for a worker that does not have the island yet; None: the worker makes its own.

        Before the first stretch, these are the given rows; afterwards, the last elites.
        """
        if self.rows is not None and not self.stretches:
            return self.rows
        return self.elites.rows if len(self.elites) else None

    def line(self) -> IslandLine:
        """Return the line of this island in a progress report."""
        state = "done" if self.done else "searching" if self.token is not None else "waiting"
        return IslandLine(
            self.number,
            self.worker,
            self.backend,
            state,
            self.stretches,
            self.restarts,
            float(self.elites.costs[0]) if len(self.elites) else None,
            self.mean,
            self.total_kicks + self.running_kicks,
        )


def give_rows(islands: list[Island], parts: list[Any] | None) -> None:
    """Let each island begin with its part of the given rows."""
    for island, part in zip(islands, parts or (), strict=False):
        island.rows, island.size = part, len(part)


def give_populations(run: IslandRun, islands: list[Island], groups: list[Elites | None]) -> Elites:
    """Let islands begin with given populations; return the elites of all islands, the best first.

    `groups` has all rows of each island, or None for an island that makes its own.
    """
    for island, group in zip(islands, groups, strict=False):
        if group is not None:
            island.rows, island.elites = group.rows, group.chosen(run.problem, *run.offered)
    return joined(run.problem, [island.elites for island in islands])


@dataclass
class Totals:
    """The statistics of all islands together."""

    statistics: Statistics = field(default_factory=lambda: Statistics(stopped_by="kicks"))

    def add(self, island: Island, report: Report, elapsed: float) -> None:
        """Add a report of an island."""
        self.statistics.add(report.statistics)
        self.statistics.backend = report.statistics.backend or self.statistics.backend
        island.stretches += 1
        island.elites, island.mean, island.size = report.elites, report.mean, report.size
        island.rows_searched, island.searched = report.size, island.searched + report.searched
        island.total_kicks += report.statistics.kicks
        island.running_kicks, island.reported = 0, elapsed

    def point(self, islands: list[Island], best: Elites, elapsed: float) -> bool:
        """Add a point to the history; return whether a feasible row has a new best cost."""
        if not len(best):
            return False
        cost = best.costs[0].item()
        mean = _mean(islands, cost)
        now = Point(elapsed, self.statistics.kicks, cost if best.feasible[0] else math.inf, mean)
        return note(self.statistics.history, now)

    def progress(
        self, islands: list[Island], best: Elites, elapsed: float, improved: bool
    ) -> IslandProgress:
        """Return the current progress; `best` must have a row."""
        cost = best.costs[0].item()
        running = sum(island.running_kicks for island in islands)
        return IslandProgress(
            elapsed=elapsed,
            best_cost=cost,
            mean_cost=_mean(islands, cost),
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
        """Return how many seconds an island was idle during its stretches, on average."""
        idle = [
            island.reported - island.begun - island.searched
            for island in islands
            if island.begun is not None and island.stretches
        ]
        return max(0.0, sum(idle) / len(idle)) if idle else 0.0


def _mean(islands: list[Island], cost: float) -> float:
    """Return the mean cost of all rows; `cost` if no island has reported."""
    known = [(i.mean, i.rows_searched) for i in islands if i.mean is not None]
    rows = sum(size for _, size in known)
    return sum(mean * size for mean, size in known) / rows if rows else float(cost)
