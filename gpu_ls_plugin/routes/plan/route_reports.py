"""What the command line says of routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.routes.problem.cvrp import CVRP

MOST_COMPLAINTS = 3  # that are printed


def about_routes(problem: CVRP, result: Result) -> dict[str, Any]:
    """Return the problem's limits and the routes of the best tour, as plain numbers."""
    best, sums = result.best_tour, problem.route_sums(result.best_tour)
    used = sums.customers[0] > 0
    return {
        "customers": problem.customers,
        "metric": problem.nodes.metric.name,
        "capacity": problem.capacity,
        "route_limit": problem.route_limit,
        "vehicles": problem.fleet,
        "feasible": bool(problem.feasible(best)[0]),
        "complaints": problem.complaints(best),
        "travelled_cost": problem.cost(best)[0].item(),
        "infeasible_share": 1.0 - float(problem.feasible(result.tours).mean()),
        "routes": [
            {"customers": customers, "load": load, "cost": cost, "duration": duration}
            for customers, load, cost, duration in zip(
                problem.routes(best),
                sums.loads[0][used].tolist(),
                sums.costs[0][used].tolist(),
                sums.durations[0][used].tolist(),
                strict=True,
            )
        ],
    }


def route_lines(found: dict[str, Any]) -> dict[str, str | None]:
    """Return what is printed of the same, by the word that the line begins with."""
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
