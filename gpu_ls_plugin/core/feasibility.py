"""Rows that break constraints: warnings for callers, and violations for frameworks."""

from __future__ import annotations

import functools
import sys
import warnings
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from gpu_ls_plugin.core.exceptions import InfeasibleWarning
from gpu_ls_plugin.core.trust import OURS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result

# Packages whose calls do not warn.
NOT_WARNED = (OURS, "gpu_ls_pymoo", "gpu_ls_pygad", "gpu_ls_deap", "gpu_ls_evotorch")

Given = ParamSpec("Given")
Found = TypeVar("Found", bound="Result")


def warns_if_infeasible(search: Callable[Given, Found]) -> Callable[Given, Found]:
    """Return a search that warns its caller if no row of its result is feasible.

    Calls from this library and its adapters do not warn: their rows may still become feasible.
    """

    @functools.wraps(search)
    def warned(*given: Given.args, **options: Given.kwargs) -> Found:
        found = search(*given, **options)
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.partition(".")[0] not in NOT_WARNED and not found.best_feasible:
            warnings.warn(f"result: {why_infeasible(found)}", InfeasibleWarning, stacklevel=2)
        return found

    return warned


def violation(problem: Problem, rows: Any) -> NDArray[np.float64]:
    """Return by how much rows break constraints, shape (P,), for frameworks.

    It is 0 for feasible rows and positive for all others. It is 1 for an infeasible row whose
    `excess` is 0, for example if a variable has no value.
    """
    checked = problem.check(rows)
    broken = ~np.asarray(problem.feasible(checked))
    found = broken.astype(np.float64)
    if broken.any():
        excess = np.asarray(problem.excess(checked[broken]), np.float64)
        found[broken] = np.where(excess > 0, excess, 1.0)
    return found


def why_infeasible(found: Result) -> str:
    """Return a clause that names the fault of a result's best row, and remedies."""
    complaints: Any = getattr(found.problem, "complaints", None)
    texts = complaints(found.best_tour) if complaints is not None else []
    more = f"; {len(texts) - 1} more" if len(texts) > 1 else ""
    broken = f" ({texts[0]}{more})" if texts else ""
    return (
        f"the best row breaks a constraint{broken}; search longer, or check that the constraints "
        "can be kept"
    )
