"""The stretches that a run is made of, behind each of which islands exchange rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.runs.stretch import Stretch

if TYPE_CHECKING:
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.distributed.exchange import ExchangeRule

BY_DEFAULT = 10  # exchanges of a run that kicks limit
SHORTEST = 0.02  # seconds that are not worth a further stretch


@dataclass(frozen=True)
class Rhythm:
    """The stretches that a run of so many seconds or kicks is made of."""

    seconds: float
    kicks: int | None
    every: float  # seconds of a stretch, infinite where kicks end it
    step: int | None  # kicks of a stretch
    share: float | None = None  # of a longer run that is over, where this one is a small part of it

    @classmethod
    def of(
        cls, exchange: ExchangeRule, budget: Budget, kicks: int | None, share: float | None = None
    ) -> Rhythm:
        """Return the rhythm of a run; `kicks` is what limits it where the budget says nothing."""
        seconds = math.inf if budget.seconds is None else budget.seconds
        unlimited = (budget.seconds, budget.kicks, budget.moves) == (None, None, None)
        total = kicks if unlimited else budget.kicks
        step = exchange.kicks
        if step is None and total is not None:
            step = max(1, -(-total // BY_DEFAULT))
        counted = step is not None or seconds == math.inf
        return cls(seconds, total, math.inf if counted else exchange.every, step, share)

    @property
    def together(self) -> bool:
        """Whether islands wait for each other, so that results do not depend on who is first."""
        return self.every == math.inf

    def stretch(self, done: int, elapsed: float, part: float = 1.0) -> Stretch | None:
        """Return the next stretch after so many kicks and seconds, or a part; None at the end."""
        left = self.seconds - elapsed
        kicks = self.step
        if self.kicks is not None:
            kicks = min(self.step or self.kicks, self.kicks - done)
        if left < SHORTEST or (kicks is not None and kicks <= 0):
            return None
        seconds = min(left, part * self.every)
        if left - seconds < SHORTEST:
            seconds = left
        ends = (self._share(done, elapsed), self._share(done + (kicks or 0), elapsed + seconds))
        return Stretch(seconds, kicks, *ends, steady=True)

    def _share(self, done: int, elapsed: float) -> float:
        """Return the share of the run that is over: of its kicks, where these limit it."""
        if self.share is not None:
            return self.share
        if self.kicks is not None:
            return min(1.0, done / max(1, self.kicks))
        return 0.0 if self.seconds == math.inf else min(1.0, elapsed / max(self.seconds, 1e-9))
