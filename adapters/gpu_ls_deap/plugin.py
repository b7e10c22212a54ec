"""The adapter as a plugin, which recognises the problem of a `TourCost`."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import MissingExtraError
from gpu_ls_plugin.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem

if importlib.util.find_spec("deap") is None:
    raise MissingExtraError('deap is not installed: pip install "gpu-ls-plugin[deap]"')


@hookimpl
def gpu_ls_problem_from(obj: object) -> Problem | None:
    """Return the problem of a `TourCost`; DEAP itself has no problems."""
    cost = sys.modules.get("gpu_ls_deap.cost")
    if cost is None or not isinstance(obj, cost.TourCost):
        return None
    found: Problem = obj.problem
    if type(obj) is cost.TourCost:
        return found
    from gpu_ls_plugin.evolution.recognition import require_costs_alone

    require_costs_alone(obj, obj.problem, _cost_of, cost.TourCosts(found).costs)
    return found


def _cost_of(evaluate: Any, individual: Any) -> Any:
    """Return the cost of an individual in DEAP."""
    values = evaluate(individual)
    return values[0] if len(values) == 1 else values
