"""As much of a framework's run as a search has to do with."""

from __future__ import annotations

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
