"""Migration among the chains of each of many instances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.budget import NO_LIMIT
from gpu_ls_plugin.tours.cooperation.migration import Migration

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.chains import Chains


@dataclass(frozen=True)
class InstanceMigration(Migration):
    """Let the worst chains of each instance continue from the best tours of its best chains.

    Successive `replicas` chains, at least two, search an instance. At least one of them is
    replaced. All work is queued on the backend. For the other parameters, see `Migration`.
    """

    replicas: int = 2

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Replace the worst chains of each instance; ties go to the lower row."""
        xp = chains.start.backend.xp
        costs = chains.best_costs.reshape(-1, self.replicas)
        order = xp.argsort(costs, axis=1, kind="stable")
        order += self.replicas * xp.arange(len(costs))[:, None]
        count = max(1, int(self.share * self.replicas))
        worst, best = order[:, ::-1][:, :count], order[:, :count]
        chains.take(worst.ravel(), best.ravel())
        return 0
