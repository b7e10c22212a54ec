"""Checks after each launch of an island: they send events, and may end the stretch."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Set

    from gpu_ls_plugin.core.result import Progress
    from gpu_ls_plugin.distributed.messages import Order
    from gpu_ls_plugin.runs.population import Population

BETWEEN_EVENTS = 0.5  # seconds between two events of an island


class Standstill:
    """Detects that crossovers no longer improve the best tour of a population."""

    def __init__(self) -> None:
        self._best, self._exchanges = math.inf, 0

    def reached(self, population: Population, best: float) -> bool:
        """Return whether the last crossovers left the best cost unchanged."""
        if best < self._best:
            self._best, self._exchanges = best, population.exchanges
        return population.exchanges > self._exchanges


class Watcher:
    """Sends events of a stretch to the scheduler, and ends the stretch when its run is stopped.

    `stopped` has the names of the runs that are over; other threads add to it. A `standstill`
    also ends the stretch.
    """

    def __init__(
        self,
        order: Order,
        population: Population,
        stopped: Set[str],
        standstill: Standstill | None = None,
    ) -> None:
        self._population, self._stopped, self._standstill = population, stopped, standstill
        self._run, self._island, self._life = order.run, order.island, order.life
        self._next = time.monotonic() + BETWEEN_EVENTS
        self._worker = this_worker()

    def __call__(self) -> bool:
        """Return whether the stretch is over; called after each launch."""
        population, standstill = self._population, self._standstill
        population.count()
        best, mean = population.seen
        if self.stops(best, mean, population.statistics.kicks):
            return True
        return standstill is not None and standstill.reached(population, best)

    def told(self, progress: Progress) -> None:
        """Take the progress of a search; if the run is stopped, end the search as Ctrl-C does."""
        if self.stops(progress.best_cost, progress.mean_cost, progress.kicks):
            raise KeyboardInterrupt

    def stops(self, best: float, mean: float, kicks: int) -> bool:
        """Return whether the run is stopped; send an event if one is due."""
        if self._worker is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + BETWEEN_EVENTS
            event = {"island": self._island, "life": self._life, "best": best, "mean": mean}
            self._worker.log_event(topic(self._run), event | {"kicks": kicks})
        return self._run in self._stopped


def topic(run: str) -> str:
    """Return the name of a run's events."""
    return f"gpu-ls-{run}"


def this_worker() -> Any:
    """Return the Dask worker that runs this task; None outside a task."""
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:
        return None
