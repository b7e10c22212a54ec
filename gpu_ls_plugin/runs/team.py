"""Threads that search problems side by side.

Each thread uses a lane of the device: a separate queue and a share of the processors.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpu_ls_plugin.backends.base import Backend

Made = TypeVar("Made")
LOOK_SECONDS = 0.05  # between two checks by the waiting thread, which Ctrl-C interrupts


class Team:
    """Threads of one call, each in a separate lane; Ctrl-C sets `interrupted`.

    Parameters
    ----------
    backend : Backend
    lanes : int
    share : int, optional
        Number of processors of each lane; by default, the lanes share all processors evenly.
    """

    def __init__(self, backend: Backend, lanes: int, share: int | None = None) -> None:
        self.lanes = lanes
        self._backend, self._share = backend, share or max(1, backend.processors // lanes)
        self._pool = ThreadPoolExecutor(lanes)
        self._free = list(range(lanes))
        self._stopped = threading.Event()
        self.interrupted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)

    def stop(self) -> None:
        """Ask the running tasks to end soon."""
        self._stopped.set()

    def stopped(self) -> bool:
        """Return whether tasks should end."""
        return self._stopped.is_set()

    def work(
        self, tasks: Sequence[Callable[[], Made]], waiting: Callable[[], object] = lambda: None
    ) -> list[Made]:
        """Run tasks and return their results in order; call `waiting` every 50 ms.

        Tasks should end soon once `stopped` returns True, for example after Ctrl-C or an error in
        a task. After Ctrl-C, `interrupted` is set, and the results so far are returned.
        """
        self._stopped.clear()
        futures = [self._pool.submit(self._in_lane, task) for task in tasks]
        left = set(futures)
        while left:
            try:
                done, left = wait(left, timeout=LOOK_SECONDS)
                if any(future.exception() for future in done):
                    self._stopped.set()
                waiting()
            except KeyboardInterrupt:
                self.interrupted = True
                self._stopped.set()
        return [future.result() for future in futures]

    def _in_lane(self, task: Callable[[], Made]) -> Made:
        number = self._free.pop()  # there is a lane for each thread
        try:
            with self._backend.lane(number, self._share):
                return task()
        finally:
            self._free.append(number)
