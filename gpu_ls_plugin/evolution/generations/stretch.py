"""A part of a run, after which a population exchanges tours with others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.acceptance import Acceptance
    from gpu_ls_plugin.budget import Stopwatch


@dataclass(frozen=True)
class Stretch:
    """A part of a run: what it may take, and how far the run is at both of its ends.

    Attributes
    ----------
    seconds : float
    kicks : int or None
        Of each row; None where seconds alone, or moves, end it.
    begin, end : float
        Shares of the run that are over, 0 to 1: of them depends which tours are accepted.
    """

    seconds: float = math.inf
    kicks: int | None = None
    begin: float = 0.0
    end: float = 1.0

    def levels(
        self, accept: Acceptance, done: int, watch: Stopwatch
    ) -> Callable[[int, int], tuple[float, float]]:
        """Return heat and cooling of a rule of acceptance as a function of two kicks.

        Along the kicks, where these are limited: so they do not depend on launches. Otherwise by
        the seconds that have passed.

        Parameters
        ----------
        accept : Acceptance
        done : int
            Kicks made before the stretch.
        watch : Stopwatch
            Started with it.
        """
        if self.kicks is None:
            return lambda _, __: (accept.level(self.share(watch.elapsed)), 0.0)
        high, low = accept.level(self.begin), accept.level(self.end)
        cooling = (high - low) / max(1, self.kicks)
        return lambda _, __: (high + cooling * done, cooling)

    def share(self, elapsed: float) -> float:
        """Return the share of the run that is over after some seconds of the stretch."""
        passed = min(1.0, elapsed / max(self.seconds, 1e-9))
        return self.begin + passed * (self.end - self.begin)
