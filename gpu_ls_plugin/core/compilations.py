"""The kernels that this process is compiling, for displays and for the log."""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST = 0.5  # seconds of compiling before the first line in the log
BETWEEN = 5.0  # seconds between the first two lines; each further pause is twice as long
OVER = 0.5  # seconds without a compiler after which compiling is over
LOOK = 0.1  # seconds between two looks at whether a line is due

logger = logging.getLogger("gpu_ls_plugin")


class Compilations:
    """The kernels that this process is compiling, and how many it has compiled.

    Attributes
    ----------
    count : int
        Number of kernels compiled so far.
    displays : int
        Number of displays that show what is being compiled; the log is silent if there are any.
    """

    def __init__(self) -> None:
        self.count = self.displays = 0
        self._kernel = threading.local()  # the kernel that a thread builds
        self._log = CompileLog(self)
        self._renew()
        if hasattr(os, "register_at_fork"):  # a forked child has none of the threads
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[object, tuple[str, str]] = {}  # name and way of each compilation
        self._followed = False  # by a thread that writes the log

    @contextmanager
    def named(self, kernel: str) -> Iterator[None]:
        """Name the kernel that this thread compiles during a ``with`` block, if any."""
        self._kernel.name = kernel
        try:
            yield
        finally:
            del self._kernel.name

    @contextmanager
    def running(self, way: str, otherwise: str = "a kernel", *, kernels: int = 1) -> Iterator[None]:
        """Compile a number of kernels in this thread during a ``with`` block.

        `way` says how, for the log; `otherwise` is a name for what has none.
        """
        key, name = object(), getattr(self._kernel, "name", otherwise)
        with self._lock:
            self._running[key] = name, way
            if not self._followed:
                self._followed = True
                self._log.begin(time.monotonic())
                threading.Thread(target=self._follow, name="gpu-ls-log", daemon=True).start()
        try:
            yield
            self.count += kernels
        finally:
            self._running.pop(key, None)

    @contextmanager
    def displayed(self) -> Iterator[None]:
        """Show what is being compiled elsewhere than in the log during a ``with`` block."""
        self.displays += 1
        try:
            yield
        finally:
            self.displays -= 1

    @property
    def way(self) -> str:
        """How the oldest of the kernels is being compiled."""
        return next((way for _, way in list(self._running.values())), "")

    @property
    def names(self) -> str:
        """Which kernels are being compiled, such as "chain, descent (3 done)"; may be empty."""
        names = ", ".join(dict.fromkeys(name for name, _ in list(self._running.values())))
        return f"{names} ({self.count} done)" if names and self.count else names

    def __str__(self) -> str:
        """Return what is being done, such as "compiling chain, descent (3 done)"; may be empty."""
        return f"compiling {names}" if (names := self.names) else ""

    def _follow(self) -> None:
        """Log what is being compiled until that is over."""
        while True:
            time.sleep(LOOK)
            with self._lock:
                if not self._log.look(time.monotonic()):
                    self._followed = False
                    return


class CompileLog:
    """Lines in the log about kernels that are compiled one soon after the other."""

    def __init__(self, compilations: Compilations) -> None:
        self._compilations = compilations
        self._told: set[str] = set()  # ways that a line has named
        self._last = -math.inf  # when compiling was last announced

    def begin(self, now: float) -> None:
        """Take note that compiling begins."""
        self._begin = self._seen = now
        self._next, self._pause = max(now + FIRST, self._last + BETWEEN), BETWEEN
        self._logged = False

    def look(self, now: float) -> bool:
        """Write a line if one is due; return whether more may follow."""
        shown = bool(self._compilations.displays)
        if names := self._compilations.names:
            self._seen = now
            if now >= self._next and not shown:
                self._announce(names)
                self._last, self._next = now, now + self._pause
                self._pause *= 2
            return True
        if now < self._seen + OVER:
            return True
        if self._logged and not shown:
            logger.warning("compiling took %.1f s", self._seen - self._begin)
        return False

    def _announce(self, names: str) -> None:
        way = self._compilations.way
        how = "" if way in self._told else f"search kernels {way}: "
        logger.warning("compiling %s%s", how, names)
        self._told.add(way)
        self._logged = True


compilations = Compilations()
