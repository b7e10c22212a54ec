"""How many steps a launch makes, so that it takes about as long as it should."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.core.budget import now

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        self.made, self._seconds = 0, 0.0  # of the launch that is being timed

    @contextmanager
    def timed(self) -> Iterator[Pace]:
        """Time a launch, which sets `made`."""
        begin = now()
        yield self
        self._seconds = now() - begin

    def follow(self, left: float) -> None:
        """Choose the steps of the next launch, with so many seconds left."""
        self.steps = paced(self.made, self._seconds, left, GROWTH * self.steps)


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
