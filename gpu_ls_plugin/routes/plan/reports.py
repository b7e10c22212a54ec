"""Facts about the best routes for ``gpu-ls solve``, and the live display of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.progress import SolutionDisplay, cost_text, gap_percent, gap_text
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.routes.problem.schedules import windows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.result import Progress, Result

MOST_COMPLAINTS = 3  # maximum number of violations that are printed


def about_routes(problem: CVRP, result: Result) -> dict[str, Any]:
    """Return the limits of the problem and the routes of the best tour as plain values.

    Costs and times are in units of files.
    """
    best, sums = result.best_tour, problem.route_sums(result.best_tour)
    used, shown = sums.customers[0] > 0, problem.published
    limit, durations = problem.route_limit, sums.durations[0][used].tolist()
    if (timed := windows_of(problem)) is not None or problem.durations is not None:
        limit = limit if timed is None else timed.limit
        durations = [stops[-1].arrival - stops[0].departure for stops in problem.schedule(best)]
    return {
        "customers": problem.customers,
        "metric": problem.nodes.metric.name,
        "capacity": problem.capacity,
        "route_limit": None if limit is None else shown(limit),
        "vehicles": problem.fleet,
        "feasible": bool(problem.feasible(best)[0]),
        "complaints": problem.complaints(best),
        "travelled_cost": shown(problem.cost(best)[0].item()),
        "infeasible_share": 1.0 - float(problem.feasible(result.tours).mean()),
        "routes": [
            {"customers": customers, "load": load, "cost": shown(cost), "duration": shown(time)}
            for customers, load, cost, time in zip(
                problem.routes(best),
                sums.loads[0][used].tolist(),
                sums.costs[0][used].tolist(),
                durations,
                strict=True,
            )
        ],
    }


def route_lines(found: dict[str, Any]) -> dict[str, str | None]:
    """Return the lines to print about the facts `found`, by label; None: print no line."""
    loads = [route["load"] for route in found["routes"]]
    fleet = "" if found["vehicles"] is None else f" of {found['vehicles']:,}"
    text = f"{len(loads):,}{fleet}, loads {min(loads):,} to {max(loads):,} of {found['capacity']:,}"
    if found["route_limit"] is not None:
        longest = max(route["duration"] for route in found["routes"])
        text += f", the longest takes {longest:,.10g} of {found['route_limit']:,.10g}"
    complaints = found["complaints"]
    more = len(complaints) - MOST_COMPLAINTS
    broken = "; ".join(complaints[:MOST_COMPLAINTS]) + (f"; {more} more" if more > 0 else "")
    return {"routes": text, "broken": broken or None}


@dataclass(frozen=True)
class Looked:
    """Cost and number of routes of the best feasible tour, and the share of infeasible tours."""

    cost: float | None
    routes: int
    infeasible: float


class RouteDisplay(SolutionDisplay[CVRP, Looked]):
    """Live display of the best feasible tour's cost, gap and routes, and the infeasible share."""

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
            f"best {cost_text(self.published(looked.cost))}",
            *([] if gap is None else [f"gap {gap_text(gap)} %"]),
            f"{looked.routes:,} routes",
            infeasible,
        ]
