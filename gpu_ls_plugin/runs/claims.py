"""Comparison of the costs that searches report with those that the problem computes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.exceptions import FaultyPartError
from gpu_ls_plugin.core.trust import foreign

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result

ROUNDING = 1e-9  # relative error of sums in kernels


def check_claims(names: tuple[str, ...], claimed: Any, costs: Any, advice: str = "") -> None:
    """Raise FaultyPartError unless the costs (P,) that the named parts claim equal `costs`.

    The message ends with `advice`. If there are no names, nothing is checked.
    """
    if names and not np.allclose(claimed, costs, rtol=ROUNDING, atol=ROUNDING):
        raise FaultyPartError(
            f"search: tours were reported to cost {np.asarray(claimed)}, but they cost "
            f"{np.asarray(costs)}; {' or '.join(map(repr, names))} computes wrong costs{advice}"
        )


def as_asked(found: Result, problem: Problem, search: object = None) -> Result:
    """Return a result for the given problem, even if the search worked on a softened form of it.

    If `search` belongs to another package, check the costs of the result.
    """
    if found.problem is not problem:
        found = replace(found, problem=problem)
    if search is None or not foreign(search):
        return found
    costs = problem.cost(found.tours)
    name = getattr(search, "name", getattr(search, "__name__", type(search).__name__))
    check_claims((str(name),), on_host(found.costs), on_host(costs))
    return replace(found, costs=costs)
