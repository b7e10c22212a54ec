"""How chains of a population help each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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

    def exchange(self, chains: Chains) -> None:
        """Replace the worst chains; ties go to the lower row."""
        xp, size = chains.start.backend.xp, len(chains.best_costs)
        count = int(self.share * size)
        if count == 0:
            return
        order = xp.lexsort(xp.stack([xp.arange(size), chains.best_costs]))
        chains.take(order[::-1][:count], order[:count])
