"""What islands exchange, how often, and who hears of whom."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.evolution.generations.stretch import Stretch

if TYPE_CHECKING:
    from gpu_ls_plugin.budget import Budget

TOPOLOGIES = ("ring", "complete", "random")
BY_DEFAULT = 10  # exchanges of a run that kicks limit
SHORTEST = 0.02  # seconds that are not worth a further stretch


@dataclass(frozen=True)
class Exchange:
    """What islands exchange, and how often.

    Parameters
    ----------
    every : float
        Seconds between two exchanges, where seconds limit the run; more than 0.
    kicks : int, optional
        Kicks of each row between two exchanges, after which all islands wait for each other: so the
        result depends on nothing but the seed. By default a tenth of those that the budget allows,
        where it allows so many.
    best, distant : int
        Rows that each island offers: its best different ones, and those of its better ones that
        differ most from its best.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    every: float = 1.0
    kicks: int | None = None
    best: int = 1
    distant: int = 1

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "every", least=1e-3)
        checks.given_fields(self, checks.integer, "kicks", least=1)
        checks.fields(self, checks.integer, "best", least=1, most=checks.MOST_INT)
        checks.fields(self, checks.integer, "distant", least=0, most=checks.MOST_INT)


def sources(topology: str, count: int, island: int, number: int, seed: int) -> list[int]:
    """Return the islands whose rows an island gets after a round.

    Parameters
    ----------
    topology : {"ring", "complete", "random"}
        Of the island before it, of all others, or of one that is drawn.
    count : int
        Of all islands.
    island, number, seed : int
        Who asks, the round, and the run's seed.
    """
    if count == 1:
        return []
    if topology == "ring":
        return [(island - 1) % count]
    if topology == "complete":
        return [other for other in range(count) if other != island]
    drawn = np.random.default_rng([seed, number, island]).integers(1, count)
    return [(island + int(drawn)) % count]


@dataclass(frozen=True)
class Rhythm:
    """The stretches that a run is made of.

    Attributes
    ----------
    seconds, kicks : float, int or None
        Of the whole run.
    every : float
        Seconds of a stretch, infinite where kicks end it.
    step : int or None
        Kicks of a stretch.
    """

    seconds: float
    kicks: int | None
    every: float
    step: int | None

    @classmethod
    def of(cls, exchange: Exchange, budget: Budget, kicks: int | None) -> Rhythm:
        """Return the rhythm of a run; `kicks` is what limits it where the budget says nothing."""
        seconds = math.inf if budget.seconds is None else budget.seconds
        unlimited = (budget.seconds, budget.kicks, budget.moves) == (None, None, None)
        total = kicks if unlimited else budget.kicks
        step = exchange.kicks
        if step is None and total is not None:
            step = max(1, -(-total // BY_DEFAULT))
        counted = step is not None or seconds == math.inf
        return cls(seconds, total, math.inf if counted else exchange.every, step)

    @property
    def together(self) -> bool:
        """Whether islands wait for each other, so that results do not depend on who is first."""
        return self.every == math.inf

    def stretch(self, done: int, elapsed: float) -> Stretch | None:
        """Return the next stretch after so many kicks and seconds; None at the end."""
        left = self.seconds - elapsed
        kicks = self.step
        if self.kicks is not None:
            kicks = min(self.step or self.kicks, self.kicks - done)
        if left < SHORTEST or (kicks is not None and kicks <= 0):
            return None
        seconds = min(left, self.every)
        if left - seconds < SHORTEST:
            seconds = left
        ends = (self._share(done, elapsed), self._share(done + (kicks or 0), elapsed + seconds))
        return Stretch(seconds, kicks, *ends)

    def _share(self, done: int, elapsed: float) -> float:
        """Return the share of the run that is over: of its kicks, where these limit it."""
        if self.kicks is not None:
            return min(1.0, done / max(1, self.kicks))
        return 0.0 if self.seconds == math.inf else min(1.0, elapsed / max(self.seconds, 1e-9))


def derived(*words: Any) -> int:
    """Return a seed of 64 bits that depends on all of some non-negative integers."""
    return int(np.random.SeedSequence(list(words)).generate_state(1, np.uint64)[0])
