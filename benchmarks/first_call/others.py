"""How busy other programs keep the machine during a measurement."""

from __future__ import annotations

import os
import time
from pathlib import Path

STAT = Path("/proc/stat")  # Linux
IDLE = slice(3, 5)  # idle, and waiting for a disk


class Others:
    """Measures from now on how many cores do work that is not of this process or its children."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._foreign = _foreign_seconds()

    def cores(self) -> float:
        """Return the mean number of cores that others used; 0.0 where this is unknown."""
        return (_foreign_seconds() - self._foreign) / (time.monotonic() - self._begin)


def _foreign_seconds() -> float:
    """Return the processor time of everything else since the machine's start."""
    if not STAT.exists():
        return 0.0
    ticks = [int(word) for word in STAT.read_text().split("\n", 1)[0].split()[1:9]]
    busy = (sum(ticks) - sum(ticks[IDLE])) / os.sysconf("SC_CLK_TCK")
    return busy - sum(os.times()[:4])  # user and system, own and of children that have ended
