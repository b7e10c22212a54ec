"""A clock for searches that runs with what they do, so that tests need no real seconds."""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.core import budget, result

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

LAUNCH = 0.06  # seconds: launches take 0.05 by themselves, so that they do not grow
READING = 1e-4  # seconds: a loop that only reads the clock ends, too
ENDLESS = 2000  # launches of a test that has no end
ENDING = 40  # launches in which a search ends: of lanes side by side, and of costs


class Clock:
    """Seconds that pass with each launch on the CPU, with each reading, and when told to.

    It takes the place of ``time`` in `gpu_ls_plugin.core.budget`, which all limits of searches
    read, and in `gpu_ls_plugin.core.result`, which measures phases. Compiled code that is given
    a limit still keeps it by the machine's clock.

    Attributes
    ----------
    launch : float
        Seconds that a launch takes.
    launches : int
        Launches so far.
    """

    def __init__(self, launch: float = LAUNCH) -> None:
        self.launch, self.launches = launch, 0
        self._readings, self._passed = count(), 0.0

    def perf_counter(self) -> float:
        """Return the seconds that have passed, as `time.perf_counter` does."""
        return 1000.0 + self._passed + READING * next(self._readings)

    time = perf_counter

    def monotonic(self) -> float:
        """Return the machine's time, by which threads and processes wait for each other."""
        return time.monotonic()

    def advance(self, seconds: float) -> None:
        """Let some seconds pass."""
        self._passed += seconds

    def most_launches(self, seconds: float) -> int:
        """Return how many launches a search with a limit in seconds makes at most."""
        return int(seconds / self.launch) + ENDING

    def govern(self, monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
        """Let modules that have imported ``time`` read this clock until the test ends."""
        for module in modules:
            monkeypatch.setattr(module, "time", self)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> Clock:
        """Let budgets and phases read this clock until the test ends."""
        launch = CpuBackend.launch

        def launched(backend: CpuBackend, *given: Any, **options: Any) -> bool:
            assert self.launches < ENDLESS, "no limit ends the search"
            done = launch(backend, *given, **options)
            self.launches += 1
            self.advance(self.launch)
            return done

        monkeypatch.setattr(CpuBackend, "launch", launched)
        self.govern(monkeypatch, budget, result)
        return self
