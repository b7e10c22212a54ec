"""Migration: the worst chains continue from the best tours of the best chains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.tours.cooperation.base import Cooperation, by_cost

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.chains import Chains


@dataclass(frozen=True)
class Migration(Cooperation):
    """Let the worst chains continue from the best tours of the best chains.

    The worst chain receives the tour of the best, the second worst that of the second best, etc.

    Parameters
    ----------
    every : float
        Kicks per city between two migrations; more than 0.
    share : float
        Share of the chains to replace, from 0 to 0.5.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    every: float = 1.0
    share: float = 0.5

    name = "migration"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.number, "share", least=0.0, most=0.5)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Replace the worst chains; ties go to the lower row."""
        order = by_cost(chains)
        count = int(self.share * len(order))
        if count > 0:
            chains.take(order[::-1][:count], order[:count])
        return 0
