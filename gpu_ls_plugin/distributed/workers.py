"""The workers of a run: which worker each island is on, and which workers are lost or left out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import (
    ClusterError,
    ClusterWarning,
    FaultyPartError,
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTypeError,
)
from gpu_ls_plugin.distributed.fleet import TICK

if TYPE_CHECKING:
    from gpu_ls_plugin.distributed.fleet import Fleet
    from gpu_ls_plugin.distributed.messages import Settled

# Errors that every worker would raise.
OURS = (InvalidParameterError, InvalidTypeError, FaultyPartError, InsufficientMemoryError)


@dataclass
class Placement:
    """The worker of each island; islands share a worker only if there are too few workers."""

    patience: float  # an island that has waited for this many seconds shares a worker
    workers: list[str] = field(default_factory=list)  # addresses, in order of arrival
    homes: dict[int, str] = field(default_factory=dict)  # the worker of each placed island

    def update(self, present: list[str]) -> list[int]:
        """Set the workers that are present; return the islands that have lost their worker."""
        known = [worker for worker in self.workers if worker in present]
        self.workers = known + [worker for worker in present if worker not in known]
        lost = [island for island, home in self.homes.items() if home not in self.workers]
        for island in lost:
            del self.homes[island]
        return lost

    def drop(self, worker: str) -> list[int]:
        """Remove a worker; return the islands that were on it."""
        return self.update([other for other in self.workers if other != worker])

    def place(self, island: int, waited: float) -> str | None:
        """Return the worker for an island, a free one if possible; None if it has to wait."""
        home, taken = self.homes.get(island), list(self.homes.values())
        free = next((worker for worker in self.workers if worker not in taken), None)
        if home is None or (taken.count(home) > 1 and free is not None):
            home = free
        if home is None and waited >= self.patience and self.workers:
            home = min(self.workers, key=taken.count)
        if home is not None:
            self.homes[island] = home
        return home


class Failures:
    """Removes from the placement the workers that are lost or cannot search."""

    def __init__(self, placement: Placement, fleet: Fleet) -> None:
        self._placement, self._fleet = placement, fleet
        self._excluded: set[str] = set()

    def settle(self, workers: list[str]) -> dict[str, Settled]:
        """Prepare an island on each worker; return how each usable worker will search.

        If no worker is usable, the first error is raised.
        """
        waiting = {
            number: (worker, self._fleet.settle(number, worker))
            for number, worker in enumerate(workers)
        }
        found: dict[str, Settled] = {}
        errors: list[BaseException] = []
        while waiting:
            event = self._fleet.wait(TICK)
            if event is None:
                if self._fleet.closed:
                    raise ClusterError("dask: the scheduler was lost before the search began")
                continue
            if event.kind == "workers":
                self._placement.update([w for w in event.content if w not in self._excluded])
                waiting = {n: of for n, of in waiting.items() if of[0] in event.content}
                continue
            worker, token = waiting.get(event.island, ("", None))
            if token is None or event.token is not token:
                continue
            del waiting[event.island]
            if event.kind == "done":
                found[worker] = event.content
                continue
            errors.append(event.content)
            if not lost_by_dask(event.content):
                self.exclude(worker, event.content, len(workers) > 1)
        if not found:
            lost = ClusterError("dask: all workers are lost")
            raise errors[0].with_traceback(None) if errors else lost
        return {worker: found[worker] for worker in workers if worker in found}

    def look(self, present: list[str]) -> list[int]:
        """Set the workers that are present; return the islands that have lost their worker."""
        before = dict(self._placement.homes)
        lost = self._placement.update([w for w in present if w not in self._excluded])
        for worker in dict.fromkeys(before[island] for island in lost):
            islands = [str(island) for island in lost if before[island] == worker]
            self._fleet.forget(worker)
            _warn(
                f"worker {worker} is lost; island {', '.join(islands)} continues on another "
                "worker, from its last exchange"
            )
        return lost

    def exclude(self, worker: str, error: BaseException, others: bool) -> list[int]:
        """Leave a worker out; return its islands. Raise the error if no other worker can search."""
        if isinstance(error, OURS) or not others:
            raise error.with_traceback(None)  # the worker's
        self._excluded.add(worker)
        _warn(f"worker {worker} cannot search and is left out: {error or type(error).__name__}")
        return self._placement.drop(worker)


def lost_by_dask(error: BaseException) -> bool:
    """Return whether a task failed because Dask lost it, its worker or its scheduler."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    names = {"FutureCancelledError", "TimeoutError", "NoValidWorkerError", "NoWorkerError"}
    kinds = (CancelledError, KilledWorker, CommClosedError, ConnectionError)
    return isinstance(error, kinds) or type(error).__name__ in names


def _warn(text: str) -> None:
    warnings.warn(text, ClusterWarning, stacklevel=3)
