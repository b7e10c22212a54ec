"""A clock on which only launches of the CPU take time, so that runs with limits are repeatable.

It is the same for every version of a library, whatever its modules are called and however often
they read the clock. For the library, `time.perf_counter` and `time.time` stand still, except for
launches with a limit in seconds. Threads wait for each other by `time.monotonic`, and clusters by
clocks of their own, which go on.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Seconds of a launch, with a power of two as denominator, so that sums are exact. They are about
# 0.05, at which launches aim, so that the next launch does not grow.
LAUNCH = 411 / 8192
START = 2048.0
READERS = ("gpu_ls_plugin", "gpu_ls_pymoo", "pymoo")  # packages for which time is virtual
MOST_READINGS = 1_000_000  # without a launch: then a loop waits for time that does not pass


class VirtualClock:
    """Seconds that pass with launches that may be cut, and with candidate lists if `lists` is set.

    Attributes
    ----------
    lists : float
        Seconds that each alpha-nearest list takes.
    """

    def __init__(self) -> None:
        self.lists = 0.0
        self._passed, self._readings = 0.0, 0
        self._lock = threading.Lock()
        self._measured: dict[type, float] = {}

    def read(self) -> float:
        """Return the seconds, as `time.perf_counter` does."""
        self._readings += 1
        if self._readings > MOST_READINGS:
            raise RuntimeError("no launch lets time pass")
        return START + self._passed

    def advance(self, seconds: float) -> None:
        """Let some seconds pass."""
        with self._lock:
            self._passed += seconds
            self._readings = 0

    def begin(self) -> None:
        """Forget the state of the previous case."""
        self.lists, self._readings = 0.0, 0
        for kind in _measuring():
            kind.measured = self._measured.setdefault(kind, kind.measured)

    def install(self) -> VirtualClock:
        """Let the library and pymoo read this clock from now on."""
        self._govern_launches(type(gls.backends.get_backend("cpu")))
        self._govern_lists(next(kind for kind in gls.Alpha.__mro__ if "ready" in vars(kind)))
        time.perf_counter, time.time = map(self._instead_of, (time.perf_counter, time.time))
        return self

    def _instead_of(self, usual: Callable[[], float]) -> Callable[[], float]:
        """Return a clock that is virtual for some packages, and the usual one for all others."""

        def read() -> float:
            package = str(sys._getframe(1).f_globals.get("__name__")).partition(".")[0]
            return self.read() if package in READERS else usual()

        return read

    def _govern_launches(self, backend: Any) -> None:
        """Let launches take virtual time, and never cut them by the machine's clock."""
        launch = backend.launch

        def launched(
            backend: Any, *given: Any, seconds: float | None = None, **options: Any
        ) -> bool:
            done = bool(launch(backend, *given, **options))
            if seconds is None:
                return done
            self.advance(LAUNCH)
            return done and seconds >= LAUNCH

        backend.launch = launched

    def _govern_lists(self, candidates: Any) -> None:
        """Make candidate lists of threads ready at once, except for those that shall be late."""
        ready = candidates.ready

        def made(lists: Any, problem: Any, seconds: float = math.inf) -> bool:
            needed = self.lists if isinstance(lists, gls.Alpha) else 0.0
            self.advance(min(needed, seconds))
            return seconds >= needed and bool(ready(lists, problem))

        candidates.ready = made


def _measuring() -> Iterator[Any]:
    """Yield the classes of the library that remember this machine's speed."""
    for name, module in list(sys.modules.items()):
        if name.startswith("gpu_ls"):
            kinds = list(vars(module).values())
            yield from (
                kind for kind in kinds if isinstance(kind, type) and "measured" in vars(kind)
            )
