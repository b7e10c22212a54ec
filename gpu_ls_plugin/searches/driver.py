"""The loop around launches: budget, progress, Ctrl-C."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.budget import now

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.budget import Stopwatch


class Batch(Protocol):
    """A batch of tours being searched, as the driver sees it."""

    @property
    def left(self) -> int:
        """How many tours could still be improved when the host looked last."""

    def launch(self, passes: int, seconds: float) -> None:
        """Queue up to `passes` passes of every unfinished tour that can begin within `seconds`."""

    def first_passes(self) -> int:
        """Return a number of passes that takes less than a launch should."""

    def unfinished(self) -> int:
        """Return how many tours can still be improved; waits for the launches."""


def paced(made: int, seconds: float, left: float, most: int) -> int:
    """Return how many steps the next launch should make, 1 to `most`.

    Parameters
    ----------
    made : int
        Steps of the last launch, passes or kicks, ...
    seconds : float
        ... which took so long.
    left : float
        Seconds until the search ends.
    most : int
        Launches grow step by step: the first steps may be faster than those that follow.
    """
    wanted = max(0.0, min(tuning.LAUNCH_SECONDS, left))
    return max(1, min(most, int(made * wanted / max(seconds, 1e-6))))


def progress(done: int, kicks: int | None, elapsed: float, begin: float, end: float) -> float:
    """Return the share of a search's kicks that are made, or of its time if that is more."""
    shares = [0.0] if kicks is None else [done / max(1, kicks)]
    if end < math.inf:
        shares.append((elapsed - begin) / max(end - begin, 1e-9))
    return min(1.0, max(shares))


def drive(
    batch: Batch,
    stopwatch: Stopwatch,
    audit: Callable[[], None] = lambda: None,
    after_launch: Callable[[int], Any] | None = None,
) -> tuple[str, int]:
    """Launch until every tour is finished or the budget is spent.

    Launches grow until they take about `tuning.LAUNCH_SECONDS` or the time that is left.

    Parameters
    ----------
    batch : Batch
    stopwatch : Stopwatch
        Knows the budget.
    audit : callable, optional
        Called after each launch.
    after_launch : callable, optional
        Called with the number of unfinished tours after each launch; returns the best cost.

    Returns
    -------
    (stopped_by, launches)
        As in `Statistics`.
    """
    passes, launches, target = batch.first_passes(), 0, stopwatch.budget.target
    try:
        left = batch.left
        while left:
            if stopwatch.left <= 0:
                return "seconds", launches
            begin = now()
            batch.launch(passes, stopwatch.left)
            left = batch.unfinished()
            launches += 1
            audit()
            seconds = now() - begin
            passes = paced(passes, seconds, stopwatch.left, most=8 * passes)
            if after_launch is not None:
                best = after_launch(left)
                if target is not None and best <= target:
                    return "target", launches
    except KeyboardInterrupt:
        return "interrupt", launches
    return "optimum", launches
