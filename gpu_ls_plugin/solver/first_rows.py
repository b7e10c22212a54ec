"""The rows from which a search begins."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.routes.problem.cvrp import CVRP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem


def first_rows(
    problem: Problem,
    size: int,
    start: str | None,
    *,
    seed: int | None,
    backend: str,
    rows: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """Return given rows, filled up to a size with tours of a construction or with empty states."""
    given = np.empty((0, problem.n), np.int32) if rows is None else rows[:size]
    missing = size - len(given)
    if not missing:
        return given.copy()
    if isinstance(problem, Assignment):
        return np.concatenate([given, np.full((missing, problem.n), -1, np.int32)])
    construct = registry.lookup("construction", str(start))
    made: NDArray[np.int32] = construct(problem, size=missing, seed=seed, backend=backend)
    return np.concatenate([given, made]) if len(given) else made


def first_row(problem: Problem, start: str | None, backend: str) -> NDArray[np.int32]:
    """Return one tour, made on a copy of routes: what they keep for starts counts as time."""
    own = pickle.loads(pickle.dumps(problem)) if isinstance(problem, CVRP) else problem
    return first_rows(own, 1, start, seed=0, backend=backend)
