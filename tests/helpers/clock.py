"""Clocks for searches: one advances with their work, the other jumps beyond the limit."""

from __future__ import annotations

import time
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.core import budget, result

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

LAUNCH = 0.06  # seconds of a launch; launches aim at 0.05, so they do not become longer
READING = 1e-4  # seconds of a reading, so that a loop that only reads the clock ends
ENDLESS = 2000  # launches after which a test fails
ENDING = 40  # launches at the end of a search
FAR = 1e6  # seconds beyond each limit


class Clock:
    """A clock that advances with each launch on the CPU, each reading, and each `advance`.

    It replaces ``time`` in `gpu_ls_plugin.core.budget`, which all limits of searches read, and in
    `gpu_ls_plugin.core.result`, which measures phases. Compiled code with a limit still reads the
    machine's clock.

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
        """Return the machine's time, which threads and processes use to wait for each other."""
        return time.monotonic()

    def advance(self, seconds: float) -> None:
        """Advance the clock."""
        self._passed += seconds

    def most_launches(self, seconds: float) -> int:
        """Return the most launches of a search with a limit in seconds."""
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


class JumpingClock:
    """Replaces the clock of searches.

    Each reading takes `step` seconds. After `readings` of them, each takes far longer than any
    limit, so that the time is over at an arbitrary point of a search.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wind(0.0, 0)
        monkeypatch.setattr(budget, "time", SimpleNamespace(perf_counter=self.read))

    def wind(self, step: float, readings: int) -> None:
        """Restart the clock."""
        self.step, self.readings, self.taken = step, readings, 0
        self._numbers = count(1)

    def read(self) -> float:
        """Return the seconds."""
        self.taken = number = next(self._numbers)
        late = number - self.readings
        return number * self.step + (0.0 if late <= 0 else FAR * (1 + late))

    @property
    def jumped(self) -> bool:
        """Whether the time was over before the search."""
        return self.taken > self.readings
