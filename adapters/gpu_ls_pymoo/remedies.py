"""Advice about problems that are not tours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pymoo.core.problem import Problem

_PERMUTATIONS = (
    "Permutations that are not round trips, such as a flow shop's, are for pymoo's own operators "
    "(OrderCrossover, InversionMutation), or for BRKGA and other real-coded algorithms as "
    "RandomKeysProblem(problem, local_search_probability=0); a RandomKeysProblem of a TSP searches "
    "tours by itself, without operators of gpu_ls_pymoo"
)
_SEVERAL = (
    "Tours with several lengths are a gpu_ls_pymoo.MultiObjectiveTSPProblem([...]) of a TSP or "
    "matrix for each length"
)
_BINARY = (
    "Binary variables, such as a knapsack's, are for pymoo's own operators (TwoPointCrossover, "
    "BitflipMutation), or for SuccessorSampling and SuccessorMutation of gpu_ls_pymoo; a "
    "gpu_ls_plugin.Assignment is searched as AssignmentProblem(problem)"
)


def kind_of(problem: Problem) -> str:
    """Return the kind of a pymoo problem's variables: b(ool), i(nteger) or f(loat)."""
    if problem.vtype is None:
        return "f"
    try:
        kind = np.dtype(problem.vtype).kind
    except TypeError:  # mixed variables
        return "f"
    return "i" if kind == "u" else kind


def remedy(problem: Problem) -> str:
    """Return what to do with a problem of pymoo that is not one of tours."""
    low, high = problem.bounds() if problem.has_bounds() else (None, None)
    binary = isinstance(high, np.ndarray) and not np.any(low) and bool((high == 1).all())
    if kind_of(problem) == "b" or (binary and kind_of(problem) == "i"):
        return _BINARY
    return f"{_SEVERAL}. {_PERMUTATIONS}" if problem.n_obj > 1 else _PERMUTATIONS
