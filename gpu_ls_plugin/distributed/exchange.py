"""The exchange of rows between islands: when, between which islands, and which rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.runs.elites import LOOKED_AT, Elites

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.runs.population import Population

TOPOLOGIES = ("ring", "complete", "random")


# The public name of this class is `gpu_ls_plugin.distributed.Exchange`.
@dataclass(frozen=True)
class ExchangeRule:
    """Says how often islands exchange rows, and how many rows.

    Parameters
    ----------
    every : float
        Seconds between two exchanges, at least 0.001. Used only if the budget limits seconds but
        not kicks, and `kicks` is not given.
    kicks : int, optional
        Kicks of each row between two exchanges. All islands then wait for each other at an
        exchange, so that the result depends only on the seed. The default is a tenth of the
        budget's kicks, if the budget limits kicks.
    best, distant : int
        Numbers of rows that each island offers: its `best` best distinct rows, and `distant` good
        rows that differ most from its best row.

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
    """Return the islands whose rows an island receives after stretch `number`.

    "ring": the island before it, "complete": all others, "random": one island drawn at random.
    """
    if count == 1:
        return []
    if topology == "ring":
        return [(island - 1) % count]
    if topology == "complete":
        return [other for other in range(count) if other != island]
    drawn = np.random.default_rng([seed, number, island]).integers(1, count)
    return [(island + int(drawn)) % count]


def elites_of(population: Population, problem: Problem, best: int, distant: int) -> Elites:
    """Return the rows that a population offers: the best ones, and some far from the best one.

    `best` and `distant` are the numbers of these rows.
    """
    rows, costs = population.tours, population.costs
    order, looked_at = on_host(costs).argsort(kind="stable"), best + LOOKED_AT
    few = 2 * looked_at  # number of rows to copy from a GPU; grows if too few are feasible
    while True:
        first = order[:few].tolist()
        found = Elites.of(problem, rows[first], costs[first])
        if few >= len(order) or len(found.allowed) >= looked_at:
            return found.chosen(problem, best, distant)
        few *= 8


def adopt_guests(population: Population, problem: Problem, guests: Elites) -> None:
    """Let a population adopt the feasible guests that are new to it; its best row always stays."""
    arriving = guests.allowed
    if not len(arriving):
        return
    rows, costs = population.tours, population.costs
    alike = np.flatnonzero(np.isin(on_host(costs), arriving.costs)).tolist()
    if alike:
        own = Elites.of(problem, rows[alike], costs[alike])
        arriving = arriving.without(problem, own)
    arriving = arriving.take(slice(max(1, len(costs) - 1)))
    if len(arriving):
        population.adopt(arriving.rows, arriving.costs)
