"""A clock that jumps ahead on a certain reading: time is up at any point that somebody asks."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import budget

if TYPE_CHECKING:
    import pytest

FAR = 1e6  # seconds


class JumpingClock:
    """Takes the place of the searches' clock.

    Each reading takes `step` seconds, and each one after the first `readings` many more: if a
    search then asks once more, no time is left.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wind(0.0, 0)
        monkeypatch.setattr(budget, "time", SimpleNamespace(perf_counter=self.read))

    def wind(self, step: float, readings: int) -> None:
        """Begin anew."""
        self.step, self.readings, self.taken = step, readings, 0
        self._numbers = itertools.count(1)

    def read(self) -> float:
        """Return the seconds."""
        self.taken = number = next(self._numbers)
        late = number - self.readings
        return number * self.step + (0.0 if late <= 0 else FAR * (1 + late))

    @property
    def jumped(self) -> bool:
        """Whether the time was up before the search was."""
        return self.taken > self.readings
