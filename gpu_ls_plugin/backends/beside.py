"""Work beside searches, such as building kernels, in a few threads.

A search with a time limit begins before all of its kernels are built. The threads do what is
urgent first. The end of the process waits a moment for what they have begun.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import compiler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CORES_OF_A_THREAD = 4  # cores for each thread: searches need cores, too
PAUSE = 0.02  # seconds between two looks at whether a search still waits for a compiler
PATIENCE_AT_EXIT = 3.0  # seconds that the end of a process waits

_thread = threading.local()


class Stopped(Exception):
    """The work of this thread was stopped; see `check`."""


def beside_a_search() -> bool:
    """Return whether this thread is that of an `Aside`."""
    return hasattr(_thread, "aside")


def check() -> None:
    """Raise Stopped if this thread does work that was stopped."""
    if beside_a_search() and _thread.aside.stopped:
        raise Stopped


class Aside:
    """Work that is done in one of a few threads.

    Parameters
    ----------
    work : callable
        Called without arguments.
    urgent : bool
        Whether it comes before all work that is not urgent.
    """

    def __init__(self, work: Callable[[], object], *, urgent: bool = True) -> None:
        self.stopped = False
        self._work, self._ended = work, threading.Event()
        _queue.put(self, urgent=urgent)

    def stop(self) -> None:
        """Let the work end at its next `check`."""
        self.stopped = True

    def join(self, seconds: float) -> None:
        """Wait for the end of the work, for at most this time."""
        self._ended.wait(seconds)

    def do(self) -> None:
        """Do the work in this thread, unless it was stopped before."""
        _thread.aside = self
        try:
            if not self.stopped:
                self._work()
        except Stopped:
            pass
        finally:
            del _thread.aside
            self._ended.set()


class _Queue:
    """Work that waits for a thread, and the threads that do it."""

    def __init__(self) -> None:
        self.renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        """Forget all work and threads."""
        self._lock = threading.Lock()
        self._waiting: list[tuple[bool, int, Aside]] = []
        self._numbers, self._threads, self.hurried = count(), 0, 0
        self.unfinished: set[Aside] = set()

    def put(self, aside: Aside, *, urgent: bool) -> None:
        """Add work, and start a thread for it unless enough are at work."""
        with self._lock:
            heappush(self._waiting, (not urgent, next(self._numbers), aside))
            self.unfinished.add(aside)
            if self._threads >= max(1, (os.cpu_count() or 1) // CORES_OF_A_THREAD):
                return
            self._threads += 1
        threading.Thread(target=self._serve, name="gpu-ls-build", daemon=True).start()

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads -= 1
                    return
                later = self._waiting[0][0] and self.hurried
                aside = None if later else heappop(self._waiting)[-1]
            if aside is None:
                time.sleep(PAUSE)
                continue
            try:
                aside.do()
            finally:
                self.unfinished.discard(aside)


_queue = _Queue()


@contextmanager
def hurrying() -> Iterator[None]:
    """Let no work that is not urgent begin during a ``with`` block."""
    _queue.hurried += 1
    try:
        yield
    finally:
        _queue.hurried -= 1


def wait_for_all() -> None:
    """Wait until all work has ended that threads do or will do beside searches."""
    while _queue.unfinished:
        for each in list(_queue.unfinished):
            each.join(PAUSE)  # returns soon, so that Ctrl-C ends it on all systems


@atexit.register
def finish() -> None:
    """Wait a moment for kernels being built, so that the cache has them the next time."""
    end = time.monotonic() + PATIENCE_AT_EXIT
    for each in list(_queue.unfinished):
        each.stop()
    for each in list(_queue.unfinished):
        each.join(max(0.0, end - time.monotonic()))
    compiler.stop_all()
