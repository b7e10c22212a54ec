"""Workers that fail: which are left out, what is said of it, and when nothing is left to do."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import (
    ClusterError,
    ClusterWarning,
    FaultyPartError,
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTypeError,
)

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.distributed.fleet import Fleet
    from gpu_ls_plugin.distributed.orders import Settled
    from gpu_ls_plugin.distributed.placement import Placement

TICK = 0.1
# What no other worker would do better.
OURS = (InvalidParameterError, InvalidTypeError, FaultyPartError, InsufficientMemoryError)


class Failures:
    """Keeps the placement free of workers that are gone or cannot search."""

    def __init__(self, problem: Problem, placement: Placement, fleet: Fleet) -> None:
        self._problem, self._placement, self._fleet = problem, placement, fleet
        self._excluded: set[str] = set()

    def settle(self, workers: list[str]) -> dict[str, Settled]:
        """Prepare an island on each worker; return how those that can will search, or raise."""
        waiting = {
            number: (worker, self._fleet.settle(number, worker))
            for number, worker in enumerate(workers)
        }
        found: dict[str, Settled] = {}
        errors: list[BaseException] = []
        while waiting:
            event = self._fleet.wait(TICK)
            if event is None:
                self._refuse_lost()
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
            raise _error(errors[0]) if errors else ClusterError("dask: all workers are lost")
        return {worker: found[worker] for worker in workers if worker in found}

    def look(self, present: list[str]) -> list[int]:
        """Take note of the workers there are; return the islands that have lost theirs."""
        before = dict(self._placement.homes)
        lost = self._placement.update([w for w in present if w not in self._excluded])
        for worker in dict.fromkeys(before[island] for island in lost):
            islands = [str(island) for island in lost if before[island] == worker]
            self._fleet.forget(worker)
            _warn(
                f"worker {worker} is lost; island {', '.join(islands)} goes on elsewhere, from "
                "its last exchange"
            )
        return lost

    def exclude(self, worker: str, error: BaseException, others: bool) -> list[int]:
        """Do without a worker; return its islands. Raise if nothing else can search."""
        if isinstance(error, OURS) or not others:
            raise _error(error)
        self._excluded.add(worker)
        _warn(f"worker {worker} cannot search and is left out: {error or type(error).__name__}")
        return self._placement.drop(worker)

    def _refuse_lost(self) -> None:
        if self._fleet.closed:
            raise ClusterError("dask: the scheduler was lost before the search has begun")


def lost_by_dask(error: BaseException) -> bool:
    """Return whether a task has failed since Dask has lost it, its worker or its scheduler."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    names = {"FutureCancelledError", "TimeoutError", "NoValidWorkerError", "NoWorkerError"}
    kinds = (CancelledError, KilledWorker, CommClosedError, ConnectionError)
    return isinstance(error, kinds) or type(error).__name__ in names


def _error(error: BaseException) -> BaseException:
    """Return an error as it is raised here, without the trace of a worker."""
    return error.with_traceback(None)


def _warn(text: str) -> None:
    warnings.warn(text, ClusterWarning, stacklevel=3)
