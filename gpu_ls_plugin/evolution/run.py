"""As much of a framework's run as a search has to do with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Statistics


class FrameworkRun(Protocol):
    """A run of an algorithm that searches are a part of; an adapter makes one for its framework."""

    def seconds_left(self) -> float:
        """Return the seconds that a search may take: infinite without a limit, 0 at the end."""

    def progress(self) -> float:
        """Return the share of the run that is over, 0 to 1."""

    def account(self, statistics: Statistics) -> None:
        """Count a search, and end the run after this generation if Ctrl-C ended the search."""


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
