"""What islands exchange, how often, and who hears of whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu_ls_plugin.core import checks

TOPOLOGIES = ("ring", "complete", "random")


# Users know it as `gpu_ls_plugin.distributed.Exchange`.
@dataclass(frozen=True)
class ExchangeRule:
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
    """Return the islands whose rows an island gets after a round with this number.

    "ring": of the island before it, "complete": of all others, "random": of one that is drawn.
    """
    if count == 1:
        return []
    if topology == "ring":
        return [(island - 1) % count]
    if topology == "complete":
        return [other for other in range(count) if other != island]
    drawn = np.random.default_rng([seed, number, island]).integers(1, count)
    return [(island + int(drawn)) % count]
