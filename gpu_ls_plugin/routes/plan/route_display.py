"""Live display of a search for routes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.progress import SolutionDisplay, cost_text, gap_percent, gap_text
from gpu_ls_plugin.routes.problem.cvrp import CVRP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.result import Progress


@dataclass(frozen=True)
class Looked:
    """What is known of the best tours: the best feasible cost, its routes, who is infeasible."""

    cost: float | None
    routes: int
    infeasible: float


class RouteDisplay(SolutionDisplay[CVRP, Looked]):
    """Shows the best feasible cost, its gap and routes, and the share of chains without one."""

    def _look(self, tours: NDArray[Any]) -> Looked:
        feasible = self.problem.feasible(tours)
        infeasible = 1.0 - float(feasible.mean())
        if not feasible.any():
            return Looked(None, 0, infeasible)
        sums = self.problem.route_sums(tours[feasible])
        costs = sums.costs.sum(axis=1)
        best = int(costs.argmin())
        return Looked(costs[best].item(), int((sums.customers[best] > 0).sum()), infeasible)

    def _cost_columns(self, progress: Progress) -> list[str]:
        looked = self._looked
        if looked is None:
            return super()._cost_columns(progress)
        infeasible = f"infeasible {100 * looked.infeasible:.0f} %"
        if looked.cost is None:
            return ["no feasible routes yet", infeasible]
        gap = gap_percent(looked.cost, self.optimum)
        return [
            f"best {cost_text(looked.cost)}",
            *([] if gap is None else [f"gap {gap_text(gap)} %"]),
            f"{looked.routes:,} routes",
            infeasible,
        ]
