"""Reports of the command line on assignment problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.problem.generalised_assignment import GeneralisedAssignment
from gpu_ls_plugin.assignment.problem.graph_colouring import (
    GraphColouring,
    greedy_clique,
    greedy_colouring,
)
from gpu_ls_plugin.core.progress import cost_text, gap_percent, in_units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.core.result import Result

MOST_LOADS = 20  # maximum number of loads that are printed
MOST_COMPLAINTS = 3  # maximum number of broken constraints that are printed


def sign_of(problem: Assignment) -> int:
    """Return -1 if costs are negative profits, otherwise 1."""
    is_profit = isinstance(problem, GeneralisedAssignment) and problem.sense == "max"
    return -1 if is_profit else 1


def about_assignment(problem: Assignment, result: Result) -> dict[str, Any]:
    """Return the size of a problem and facts about its best state, as plain Python values."""
    best = result.best_tour
    feasible = {"feasible": bool(problem.feasible(best)[0])}
    if isinstance(problem, GraphColouring):
        return feasible | {
            "vertices": problem.n,
            "edges": len(problem.edges),
            "colours": problem.colours,
            "conflicts": problem.cost(best)[0].item(),
        }
    if isinstance(problem, GeneralisedAssignment):
        return feasible | {
            "jobs": problem.n,
            "agents": problem.agents,
            "sense": problem.sense,
            "unassigned": int(np.count_nonzero(problem.check(best) < 0)),
            "loads": problem.loads(best)[0].tolist(),
            "capacities": problem.capacities.tolist(),
        }
    return feasible | {"facilities" if problem.distinct else "variables": problem.n}


def about_fewest(graph: GraphColouring, optimum: float | None) -> dict[str, Any]:
    """Return bounds on the number of colours that a graph needs, and the gap to `optimum`."""
    return {
        "optimum": optimum,
        "gap_percent": gap_percent(graph.colours, optimum),
        "greedy_colours": int(greedy_colouring(graph).max()) + 1,
        "clique": len(greedy_clique(graph)),
    }


def assignment_size(found: Mapping[str, Any]) -> str:
    """Return the size of a problem as a string."""
    words = ("vertices", "edges", "jobs", "agents", "facilities", "variables")
    return ", ".join(f"{found[word]:,} {word}" for word in words if word in found)


def assignment_lines(found: Mapping[str, Any], gap: str) -> dict[str, str | None]:
    """Return lines to print about the best state, with its `gap`, by heading."""
    lines: dict[str, str | None] = {"best": f"{_best(found)}{gap}"}
    if "greedy_colours" in found:
        lines["bounds"] = (
            f"a greedy colouring takes {found['greedy_colours']:,}, a clique needs "
            f"{found['clique']:,}"
        )
    elif "conflicts" not in found:
        mean = -found["mean_cost"] if found.get("sense") == "max" else found["mean_cost"]
        lines["mean"] = f"{cost_text(mean)} over {found['population']:,} states"
    if "loads" in found:
        lines |= _load_lines(found)
    return lines


def work_lines(found: Mapping[str, Any]) -> dict[str, str | None]:
    """Return lines to print about steps and rounds, by heading."""
    seconds = max(found["seconds"], 1e-9)
    return {
        "steps": f"{found['moves']:,} ({in_units(found['moves'] / seconds)} a second)",
        "rounds": f"{found['kicks']:,} ({in_units(found['kicks_per_second'])} a second)",
    }


def _best(found: Mapping[str, Any]) -> str:
    if "greedy_colours" in found:
        return f"{found['colours']:,} colours"
    if "conflicts" in found:
        return f"{found['conflicts']:,} conflicts with {found['colours']:,} colours"
    if found.get("sense") == "max":
        return f"profit {cost_text(-found['best_cost'])}"
    return cost_text(found["best_cost"])


def _load_lines(found: Mapping[str, Any]) -> dict[str, str | None]:
    pairs = list(zip(found["loads"], found["capacities"], strict=True))
    shown = ", ".join(f"{load:,} of {capacity:,}" for load, capacity in pairs[:MOST_LOADS])
    more = len(pairs) - MOST_LOADS
    broken = [
        f"agent {agent} has {load:,} of {capacity:,}"
        for agent, (load, capacity) in enumerate(pairs, start=1)
        if load > capacity
    ]
    if found["unassigned"]:
        broken.append(f"{found['unassigned']:,} jobs have no agent")
    others = len(broken) - MOST_COMPLAINTS
    text = "; ".join(broken[:MOST_COMPLAINTS]) + (f"; {others:,} more" if others > 0 else "")
    return {"loads": shown + (f"; {more:,} more" if more > 0 else ""), "broken": text or None}
