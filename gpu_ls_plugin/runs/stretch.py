"""A part of a run: its limits, and how far the run is at both of its ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch


class Level(Protocol):
    """A rule whose level depends on how far a run is: `Acceptance`."""

    def level(self, progress: float) -> float:
        """Return the level after a share of the run, 0 to 1."""


@dataclass(frozen=True)
class Stretch:
    """A part of a run: whichever limit is met first ends it.

    Attributes
    ----------
    seconds : float
    kicks : int or None
        Of each row; rounds of states, children of a population of routes.
    begin, end : float
        Shares of the run that are over at its ends, 0 to 1; acceptance depends on them.
    generations : int or None
    steady : bool
        Whether acceptance goes by kicks alone, if these are limited, and else does not change in
        a launch, as of islands.
    """

    seconds: float = math.inf
    kicks: int | None = None
    begin: float = 0.0
    end: float = 1.0
    generations: int | None = None
    steady: bool = False


class Leg:
    """A stretch under way: the clock runs.

    Parameters
    ----------
    stretch : Stretch
    done, generations : int
        Kicks and generations of each row before it.
    watch : Stopwatch, optional
        Of the stretch's seconds, if these began earlier.
    """

    def __init__(
        self, stretch: Stretch, done: int = 0, generations: int = 0, watch: Stopwatch | None = None
    ) -> None:
        self.stretch, self.first, self._generations = stretch, done, generations
        self.watch = Stopwatch.of(stretch.seconds) if watch is None else watch
        self.steps = 0  # made so far

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.watch.left

    @property
    def until(self) -> int:
        """Number of the kick at which it ends."""
        kicks = self.stretch.kicks
        return NO_LIMIT if kicks is None else self.first + kicks

    def bred(self, generations: int) -> bool:
        """Return whether it has had its generations, when so many are over in all."""
        most = self.stretch.generations
        return most is not None and generations - self._generations >= most

    def share(self, done: int, elapsed: float) -> float:
        """Return the share of the run that is over after so many kicks and seconds."""
        stretch, passed = self.stretch, 0.0
        if stretch.kicks is not None:
            passed = (done - self.first) / max(1, stretch.kicks)
        if stretch.seconds < math.inf:
            passed = max(passed, elapsed / max(stretch.seconds, 1e-9))
        return stretch.begin + min(1.0, max(0.0, passed)) * (stretch.end - stretch.begin)

    def level(self, accept: Level, done: int, to: int) -> tuple[float, float]:
        """Return heat and cooling of an acceptance rule, whose level is ``heat - cooling * kick``.

        A line over all kicks of the stretch, if kicks alone limit it: launches make no difference
        to it. Otherwise a line from now to the end of the next launch.

        Parameters
        ----------
        accept : Level
        done, to : int
            Kicks between which the launch lies.
        """
        stretch = self.stretch
        if stretch.kicks is not None and (stretch.seconds == math.inf or stretch.steady):
            high, low = accept.level(stretch.begin), accept.level(stretch.end)
            cooling = (high - low) / max(1, stretch.kicks)
            return high + cooling * self.first, cooling
        elapsed = self.watch.elapsed
        ahead = min(stretch.seconds, elapsed + tuning.LAUNCH_SECONDS)
        high = accept.level(self.share(done, elapsed))
        low = high if stretch.steady else accept.level(self.share(to, ahead))
        cooling = (high - low) / max(1, to - done)
        return high + cooling * done, cooling
