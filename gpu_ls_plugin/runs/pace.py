"""The number of steps of a launch, chosen so that it takes about `tuning.LAUNCH_SECONDS`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.core.budget import now

if TYPE_CHECKING:
    from collections.abc import Iterator

# Maximum growth of the number of steps from one launch to the next. The first steps may be the
# fastest, so an estimate from their time could make the next launch too long.
GROWTH = 8


class Pace:
    """Chooses the number of steps of each launch, so that a launch takes about 50 ms.

    Parameters
    ----------
    steps : int
        Number of steps of the first launch; choose few, so that it is short on any machine.

    Attributes
    ----------
    steps : int
        Number of steps of the next launch.
    made : int
        Number of steps of the last launch, which the caller sets.
    """

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.made, self._seconds = 0, 0.0  # steps and seconds of the last launch

    @contextmanager
    def timed(self) -> Iterator[Pace]:
        """Time a launch during a ``with`` block, in which the caller sets `made`."""
        begin = now()
        yield self
        self._seconds = now() - begin

    def follow(self, left: float) -> None:
        """Choose the number of steps of the next launch, with `left` seconds to go."""
        self.steps = paced(self.made, self._seconds, left, GROWTH * self.steps)


def paced(made: int, seconds: float, left: float, most: int) -> int:
    """Return the number of steps of the next launch, 1 to `most`.

    Parameters
    ----------
    made, seconds : int, float
        Number of steps of the last launch, and the seconds that they took.
    left : float
        Seconds until the search ends.
    most : int
        Upper limit of the number.
    """
    wanted = max(0.0, min(tuning.LAUNCH_SECONDS, left))
    return max(1, min(most, int(made * wanted / max(seconds, 1e-6))))
