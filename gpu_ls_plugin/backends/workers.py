"""Threads that wait for the next launch on the CPU: starting new ones would take longer."""

from __future__ import annotations

import threading
import time
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[], object]


class Workers:
    """Threads that do a piece of work together and then wait for the next one.

    With few tours, a launch spends most of its time handing over the work. Two queues take half as
    long for this as `concurrent.futures`. Threads are started when they are needed, and end when
    the `Workers` object is deleted.

    Attributes
    ----------
    threads : list of Thread
        The threads that have been started.
    """

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []
        self._orders: SimpleQueue[Work | None] = SimpleQueue()
        self._done: SimpleQueue[BaseException | None] = SimpleQueue()

    def do(self, work: Work, threads: int, seconds: float, late: Work) -> None:
        """Call `work` in a number of threads, wait for all of them, and raise the first exception.

        If that takes longer than `seconds`, call `late`, possibly several times.
        """
        while len(self.threads) < threads:  # before queueing: a start may fail
            self._start()
        for _ in range(threads):
            self._orders.put(work)
        end = time.monotonic() + seconds
        errors = [self._next(end, late) for _ in range(threads)]
        for error in filter(None, errors):
            raise error

    def dismiss(self) -> None:
        """Let all threads finish their work, and wait until they end."""
        self._send_away()
        for thread in self.threads:
            thread.join()
        self.threads.clear()

    def __del__(self) -> None:
        self._send_away()

    def _send_away(self) -> None:
        for _ in self.threads:
            self._orders.put(None)

    def _start(self) -> None:
        # Threads have no reference to their Workers: otherwise these could never be deleted.
        thread = threading.Thread(target=_serve, args=(self._orders, self._done), daemon=True)
        thread.start()
        self.threads.append(thread)

    def _next(self, end: float, late: Work) -> BaseException | None:
        """Wait until one more thread is done; return its exception or None."""
        left = min(end - time.monotonic(), threading.TIMEOUT_MAX)
        try:
            return self._done.get(timeout=max(0.0, left))
        except Empty:
            late()
            return self._done.get()


def _serve(orders: SimpleQueue[Work | None], done: SimpleQueue[BaseException | None]) -> None:
    while (work := orders.get()) is not None:
        try:
            work()
        except BaseException as error:
            done.put(error)
        else:
            done.put(None)
        del work  # otherwise it keeps arrays alive
