"""A search without a framework's run, and what searches of a run add up to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Statistics


class NoRun:
    """No run: a search by itself, without a limit."""

    def seconds_left(self) -> float:
        """Return infinity."""
        return math.inf

    def progress(self) -> float:
        """Return 0."""
        return 0.0

    def account(self, statistics: Statistics) -> None:
        """Count nothing."""


def add_search(total: Statistics, statistics: Statistics) -> None:
    """Add a search of a run to the counts of all its searches (in place)."""
    total.add(statistics)
    total.seconds += statistics.seconds
    total.backend, total.stopped_by = statistics.backend, statistics.stopped_by
