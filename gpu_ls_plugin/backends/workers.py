"""Threads that wait for the next launch on the CPU: starting costs, and so do futures."""

from __future__ import annotations

import threading
import time
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[], object]


class Workers:
    """Threads that do one piece of work together, and then wait for the next one.

    Of all that a launch costs, handing it over is the largest part where tours are few: two queues
    do that in half the time of `concurrent.futures`. Threads are started when they are first
    needed and end when their `Workers` are forgotten.
    """

    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []
        self._orders: SimpleQueue[Work | None] = SimpleQueue()
        self._done: SimpleQueue[BaseException | None] = SimpleQueue()

    def do(self, work: Work, threads: int, seconds: float, late: Work) -> None:
        """Call `work` in so many threads and wait for all; what one of them raised is raised.

        `late` is called, perhaps more than once, where that takes longer than `seconds`.
        """
        while len(self._threads) < threads:  # before any works: there may be no more threads
            self._start()
        for _ in range(threads):
            self._orders.put(work)
        end = time.monotonic() + seconds
        errors = [self._next(end, late) for _ in range(threads)]
        for error in filter(None, errors):
            raise error

    def dismiss(self) -> None:
        """Wait for what was begun, and for all threads to end."""
        self._send_away()
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def __del__(self) -> None:
        self._send_away()

    def _send_away(self) -> None:
        for _ in self._threads:
            self._orders.put(None)

    def _start(self) -> None:
        # They do not know their Workers, or these would never be forgotten.
        thread = threading.Thread(target=_serve, args=(self._orders, self._done), daemon=True)
        thread.start()
        self._threads.append(thread)

    def _next(self, end: float, late: Work) -> BaseException | None:
        """Wait for one thread more; return what it raised."""
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
        del work  # and the arrays that it knows
