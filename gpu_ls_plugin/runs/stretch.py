"""Stretches: parts of a run with limits, between two shares of the whole run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch


class Level(Protocol):
    """A rule whose level depends on the progress of a run: `Acceptance`."""

    def level(self, progress: float) -> float:
        """Return the level once a share of the run, 0 to 1, is finished."""


@dataclass(frozen=True)
class Stretch:
    """A part of a run, which ends when the first of its limits is reached.

    Attributes
    ----------
    seconds : float
        Time limit, infinite if there is none.
    kicks : int or None
        Limit of kicks per row, of rounds per state, or of children of a population of routes.
    begin, end : float
        Shares of the run, 0 to 1, at which the stretch begins and ends; acceptance depends on them.
    generations : int or None
        Limit of generations.
    steady : bool
        Whether the acceptance level depends on kicks alone if kicks are limited, and is constant
        during a launch otherwise. Islands set this.
    """

    seconds: float = math.inf
    kicks: int | None = None
    begin: float = 0.0
    end: float = 1.0
    generations: int | None = None
    steady: bool = False


def even_fall(
    accept: Level, kicks: int, begin: float = 0.0, end: float = 1.0
) -> tuple[float, float]:
    """Return (heat, cooling) if the level falls linearly over `kicks` kicks.

    `begin` and `end` are the shares of the run between which the kicks are made.
    """
    high, low = accept.level(begin), accept.level(end)
    return high, (high - low) / max(1, kicks)


class Leg:
    """A stretch that has begun, with its clock.

    Parameters
    ----------
    done, generations : int
        Number of kicks of each row, and of generations, before the stretch.
    watch : Stopwatch, optional
        The clock of the stretch, if it has already started; by default, a new one.
    """

    def __init__(
        self, stretch: Stretch, done: int = 0, generations: int = 0, watch: Stopwatch | None = None
    ) -> None:
        self.stretch, self.first, self._generations = stretch, done, generations
        self.watch = Stopwatch.of(stretch.seconds) if watch is None else watch
        self.steps = 0  # number of steps of this stretch so far; the population counts them

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.watch.left

    @property
    def until(self) -> int:
        """Number of kicks, counted like `done`, at which the stretch ends."""
        kicks = self.stretch.kicks
        return NO_LIMIT if kicks is None else self.first + kicks

    def bred(self, generations: int) -> bool:
        """Return whether the limit of generations is reached, given their number in the run."""
        most = self.stretch.generations
        return most is not None and generations - self._generations >= most

    def share(self, done: int, elapsed: float) -> float:
        """Return the finished share of the run, after `done` kicks and `elapsed` seconds.

        `done` counts from the start of the run, and `elapsed` from the start of the stretch.
        """
        stretch, passed = self.stretch, 0.0
        if stretch.kicks is not None:
            passed = (done - self.first) / max(1, stretch.kicks)
        if stretch.seconds < math.inf:
            passed = max(passed, elapsed / max(stretch.seconds, 1e-9))
        return stretch.begin + min(1.0, max(0.0, passed)) * (stretch.end - stretch.begin)

    def level(self, accept: Level, done: int, to: int) -> tuple[float, float]:
        """Return (heat, cooling) of the next launch, whose level is ``heat - cooling * kick``.

        If only kicks limit the stretch, the level falls linearly over all its kicks, so it does
        not depend on launches. Otherwise it falls linearly from now to the end of the next launch.

        Parameters
        ----------
        done, to : int
            Numbers of the kicks at which the launch begins and ends.
        """
        stretch = self.stretch
        if stretch.kicks is not None and (stretch.seconds == math.inf or stretch.steady):
            high, cooling = even_fall(accept, stretch.kicks, stretch.begin, stretch.end)
            return high + cooling * self.first, cooling
        elapsed = self.watch.elapsed
        ahead = min(stretch.seconds, elapsed + tuning.LAUNCH_SECONDS)
        high = accept.level(self.share(done, elapsed))
        low = high if stretch.steady else accept.level(self.share(to, ahead))
        cooling = (high - low) / max(1, to - done)
        return high + cooling * done, cooling
