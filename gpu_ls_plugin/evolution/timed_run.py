"""The clock and the search counts of a run, for frameworks that have no object for a run."""

from __future__ import annotations

import math

from gpu_ls_plugin.core import budget, checks
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters


class TimedRun(ShownParameters):
    """The clock and the search counts of a loop that you write; all operators share the object.

    Parameters
    ----------
    seconds : float
        Time limit, counted from the creation of the object; waiting for kernels does not
        count. Searches end when the time is up. By default there is no limit.

    Attributes
    ----------
    statistics : Statistics
        Counts of all searches of the run.
    interrupted : bool
        Whether Ctrl-C has ended a search; the run is then over.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `seconds` is not a number that is at least 0.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = checks.number("seconds", seconds, least=0)
        self.restart()

    def restart(self) -> None:
        """Restart the clock, and reset the counts."""
        self._begin = budget.now()
        self.statistics = Statistics()
        self.interrupted = False

    @property
    def over(self) -> bool:
        """Whether the time is up or Ctrl-C has ended a search."""
        return self.seconds_left() <= 0

    def seconds_left(self) -> float:
        """Return how many seconds searches may take: infinite without a limit, 0 if `over`."""
        left = self.seconds - (budget.now() - self._begin)
        return 0.0 if self.interrupted else max(0.0, left)

    def progress(self) -> float:
        """Return the share of the time that has passed, 0 to 1; 0 without a limit."""
        if math.isinf(self.seconds):
            return 0.0
        return 1.0 if self.over else 1 - self.seconds_left() / self.seconds

    def account(self, statistics: Statistics) -> None:
        """Add the counts of a search."""
        add_search(self.statistics, statistics)
        self.interrupted = self.interrupted or statistics.interrupted


def add_search(total: Statistics, statistics: Statistics) -> None:
    """Add the counts of a search to those of its run (in place)."""
    total.add(statistics)
    total.seconds += statistics.seconds
    total.backend, total.stopped_by = statistics.backend, statistics.stopped_by
