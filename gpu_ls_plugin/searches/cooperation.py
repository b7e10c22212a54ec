"""How chains of a population help each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import checks

if TYPE_CHECKING:
    from gpu_ls_plugin.searches.chains import Chains


@dataclass(frozen=True)
class Migration:
    """Let the worst chains go on from the best tours of the best, again and again.

    Parameters
    ----------
    every : float
        Kicks per city between two migrations; more than 0.
    share : float
        Of the chains that are replaced, from 0 to 0.5; the worst one by the best one, the second
        worst by the second best, and so on.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or no number.
    """

    every: float = 1.0
    share: float = 0.5

    name = "migration"

    def __post_init__(self) -> None:
        checks.number("every", self.every, least=1e-9)
        checks.number("share", self.share, least=0.0, most=0.5)

    def period(self, n: int) -> int:
        """Return the kicks between two exchanges in tours of n cities."""
        return max(1, round(self.every * n))

    def exchange(self, chains: Chains, level: float) -> None:
        """Replace the worst chains; ties go to the lower row."""
        order = _by_cost(chains)
        count = int(self.share * len(order))
        if count > 0:
            chains.take(order[::-1][:count], order[:count])


@dataclass(frozen=True)
class EliteEdges(Migration):
    """Migration, after which all chains work for a while where the best tours differ.

    Edges common to the elite are fixed; paths of them are contracted, so that the problem becomes
    small. What the chains find there takes the place of their own best tours where it is better.

    Parameters
    ----------
    every, share
        As of `Migration`.
    elite : int
        Number of tours, the cheapest that differ in cost, whose common edges are fixed; at least 2.
    kicks_per_city : float
        Kicks of each chain in the contracted problem, for each of its cities.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or no number.
    """

    elite: int = 16
    kicks_per_city: float = 1.0

    name = "elite_edges"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.integer("elite", self.elite, least=2)
        checks.number("kicks_per_city", self.kicks_per_city, least=0.0)

    def exchange(self, chains: Chains, level: float) -> None:
        """Migrate, then let the chains search the contracted problem."""
        super().exchange(chains, level)
        order = _by_cost(chains)
        costs = chains.best_costs[order]
        new = chains.start.backend.xp.ones(len(order), bool)
        new[1:] = costs[1:] != costs[:-1]
        chains.work_where_differing(order[new][: self.elite], self.kicks_per_city, level)


def _by_cost(chains: Chains) -> Any:
    """Return the rows by the cost of their best tours; ties go to the lower row."""
    xp, size = chains.start.backend.xp, len(chains.best_costs)
    return xp.lexsort(xp.stack([xp.arange(size), chains.best_costs]))
