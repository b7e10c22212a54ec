"""Live display of a search for routes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.progress import SearchDisplay, cost_text, gap_percent, gap_text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from gpu_ls_plugin.problems.cvrp import CVRP
    from gpu_ls_plugin.result import Progress

LEAST_BETWEEN = 0.25  # seconds between two looks at the tours ...
SHARE = 0.02  # ... which may take so much of the time


@dataclass(frozen=True)
class Looked:
    """What is known of the best tours: the best feasible cost, its routes, who is infeasible."""

    cost: float | None
    routes: int
    infeasible: float


class RouteDisplay(SearchDisplay):
    """Shows the best feasible cost, its gap and routes, and the share of chains without one.

    Parameters
    ----------
    problem : CVRP
    seconds, console
        As of `SearchDisplay`.
    """

    def __init__(self, problem: CVRP, seconds: float, console: Console | None = None) -> None:
        super().__init__(problem.name, seconds, problem.optimum, console)
        self.problem = problem
        self._looked: Looked | None = None
        self._next_look = 0.0

    def __call__(self, progress: Progress) -> None:
        """Take the state of the search; tours are looked at now and then."""
        begin = time.monotonic()
        if progress.best_tours is not None and begin >= self._next_look:
            self._looked = self._look(progress.best_tours())
            end = time.monotonic()
            self._next_look = end + max(LEAST_BETWEEN, (end - begin) / SHARE)
        super().__call__(progress)

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
