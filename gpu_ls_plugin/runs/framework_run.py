"""The interface through which searches use the run of a framework such as pymoo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Statistics


class FrameworkRun(Protocol):
    """The run of a framework's algorithm that calls searches; adapters implement it."""

    def seconds_left(self) -> float:
        """Return the seconds left for searches, infinite if there is no limit, 0 at the end."""

    def progress(self) -> float:
        """Return the share of the run that is finished, 0 to 1."""

    def account(self, statistics: Statistics) -> None:
        """Add the counts of a search; if Ctrl-C ended it, end the run after this generation."""
