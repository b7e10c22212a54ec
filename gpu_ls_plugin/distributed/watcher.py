"""What an island notes after each launch: events for the scheduler, and when its stretch ends."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Set

    from gpu_ls_plugin.core.result import Progress
    from gpu_ls_plugin.distributed.orders import Order
    from gpu_ls_plugin.runs.population import Population

BETWEEN_EVENTS = 0.5  # seconds between two events of an island


class Standstill:
    """Watches the best tour of a population whose tours are crossed: do these still improve it?"""

    def __init__(self) -> None:
        self._best, self._exchanges = math.inf, 0

    def reached(self, population: Population, best: float) -> bool:
        """Return whether the best cost is what it was before the last crossovers."""
        if best < self._best:
            self._best, self._exchanges = best, population.exchanges
        return population.exchanges > self._exchanges


class Watcher:
    """Tells the scheduler of a stretch now and then, and stops it with the run.

    Others add the names of runs that are over to `stopped`; a `standstill` ends the stretch, too.
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
        """Take note of a launch; return whether the stretch is over."""
        population, standstill = self._population, self._standstill
        population.count()
        best, mean = population.seen
        if self._stops(best, mean, population.statistics.kicks):
            return True
        return standstill is not None and standstill.reached(population, best)

    def told(self, progress: Progress) -> None:
        """Take note of a launch of a search that is called; stop it as Ctrl-C does."""
        if self._stops(progress.best_cost, progress.mean_cost, progress.kicks):
            raise KeyboardInterrupt

    def _stops(self, best: float, mean: float, kicks: int) -> bool:
        if self._worker is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + BETWEEN_EVENTS
            event = {"island": self._island, "life": self._life, "best": best, "mean": mean}
            self._worker.log_event(topic(self._run), event | {"kicks": kicks})
        return self._run in self._stopped


def topic(run: str) -> str:
    """Return the name of a run's events."""
    return f"gpu-ls-{run}"


def this_worker() -> Any:
    """Return the worker of Dask on which this task runs; None outside of one."""
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:
        return None
