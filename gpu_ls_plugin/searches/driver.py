"""The loop around launches: budget, progress, Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.backends.tuning import LAUNCH_SECONDS
from gpu_ls_plugin.budget import now

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.budget import Stopwatch


class Batch(Protocol):
    """A batch of tours being searched, as the driver sees it."""

    def launch(self, passes: int, seconds: float) -> None:
        """Queue up to `passes` passes of every unfinished tour that can begin within `seconds`."""

    def first_passes(self) -> int:
        """Return a number of passes that takes less than a launch should."""

    def unfinished(self) -> int:
        """Return how many tours can still be improved; waits for the launches."""


def drive(
    batch: Batch,
    stopwatch: Stopwatch,
    audit: Callable[[], None] = lambda: None,
    after_launch: Callable[[int], Any] | None = None,
) -> tuple[str, int]:
    """Launch until every tour is finished or the budget is spent.

    Launches grow until they take about `LAUNCH_SECONDS` or the time that is left.

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
        left = batch.unfinished()
        while left:
            if stopwatch.left <= 0:
                return "seconds", launches
            begin = now()
            batch.launch(passes, stopwatch.left)
            left = batch.unfinished()
            launches += 1
            audit()
            seconds = max(now() - begin, 1e-6)
            wanted = max(0.0, min(LAUNCH_SECONDS, stopwatch.left))
            passes = max(1, min(8 * passes, int(passes * wanted / seconds)))
            if after_launch is not None:
                best = after_launch(left)
                if target is not None and best <= target:
                    return "target", launches
    except KeyboardInterrupt:
        return "interrupt", launches
    return "optimum", launches
