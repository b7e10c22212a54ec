"""A run of a loop that has no object of its own: its clock, and the counts of its searches."""

from __future__ import annotations

import math

from gpu_ls_plugin.core import budget, checks
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.run import add_search
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters


class TimedRun(ShownParameters):
    """The run of a loop of one's own, which operators share.

    Parameters
    ----------
    seconds : float
        From the moment when the run is made; compiling does not count. Searches end in time.

    Attributes
    ----------
    statistics : Statistics
        Counts of all searches of the run.
    interrupted : bool
        Whether Ctrl-C has ended a search. The run is over then.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `seconds` is not a number that is at least 0.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = checks.number("seconds", seconds, least=0)
        self.restart()

    def restart(self) -> None:
        """Begin anew, with the whole time and without counts."""
        self._begin = budget.now()
        self.statistics = Statistics()
        self.interrupted = False

    @property
    def over(self) -> bool:
        """Whether the time is up, or Ctrl-C has ended a search."""
        return self.seconds_left() <= 0

    def seconds_left(self) -> float:
        """Return the seconds that searches may take: infinite without a limit, 0 at the end."""
        left = self.seconds - (budget.now() - self._begin)
        return 0.0 if self.interrupted else max(0.0, left)

    def progress(self) -> float:
        """Return the share of the time that is over, 0 to 1; 0 without a limit."""
        if math.isinf(self.seconds):
            return 0.0
        return 1.0 if self.over else 1 - self.seconds_left() / self.seconds

    def account(self, statistics: Statistics) -> None:
        """Count a search."""
        add_search(self.statistics, statistics)
        self.interrupted = self.interrupted or statistics.interrupted
