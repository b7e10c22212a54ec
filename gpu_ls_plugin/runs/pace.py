"""How many steps a launch makes, so that it takes about as long as it should."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.budget import now

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.runs.stretch import Leg

GROWTH = 8  # times as many steps at most: the first steps may be faster than those that follow


class Pace:
    """Steps of the next launch.

    Parameters
    ----------
    steps : int
        Of the first launch; surely faster than it should be.
    """

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.made = 0  # by the launch that is being timed

    @contextmanager
    def timed(self, leg: Leg) -> Iterator[Pace]:
        """Time a launch, which sets `made`, and choose the steps of the next one."""
        begin = now()
        yield self
        self.steps = paced(self.made, now() - begin, leg.left, GROWTH * self.steps)


def paced(made: int, seconds: float, left: float, most: int) -> int:
    """Return how many steps the next launch should make, 1 to `most`.

    Parameters
    ----------
    made : int
        Steps of the last launch ...
    seconds : float
        ... which took so long.
    left : float
        Seconds until the search ends.
    most : int
    """
    wanted = max(0.0, min(tuning.LAUNCH_SECONDS, left))
    return max(1, min(most, int(made * wanted / max(seconds, 1e-6))))
