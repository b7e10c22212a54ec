"""Sub-problems that are searched side by side: each in a lane of the device, by a thread."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpu_ls_plugin.backends.base import Backend

Made = TypeVar("Made")
LOOK_SECONDS = 0.05  # between two looks of the thread that waits, which Ctrl-C reaches


class Team:
    """Threads of one call, each with one of so many lanes of the device, until `interrupted`."""

    def __init__(self, backend: Backend, lanes: int) -> None:
        self.lanes = lanes
        self._backend, self._share = backend, max(1, backend.processors // lanes)
        self._pool = ThreadPoolExecutor(lanes)
        self._free = list(range(lanes))
        self._stopped = threading.Event()
        self.interrupted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._pool.shutdown()

    def stop(self) -> None:
        """Let the work at hand end soon."""
        self._stopped.set()

    def stopped(self) -> bool:
        """Whether work should end."""
        return self._stopped.is_set()

    def work(
        self, tasks: Sequence[Callable[[], Made]], waiting: Callable[[], object] = lambda: None
    ) -> list[Made]:
        """Return what tasks return, in their order; `waiting` is called now and then.

        Ctrl-C, like any other error of `waiting`, lets tasks end soon: they ask `stopped`. What
        they have found until then is returned after Ctrl-C, and `interrupted` is set.
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
        number = self._free.pop()  # there are as many lanes as threads
        try:
            with self._backend.lane(number, self._share):
                return task()
        finally:
            self._free.append(number)
