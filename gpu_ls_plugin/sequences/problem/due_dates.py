"""Due dates and weights of jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.core.problem_data import numbers_of
from gpu_ls_plugin.sequences.problem.sequence import MOST

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def due_data(
    due_dates: ArrayLike, weights: ArrayLike | None, jobs: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return checked due dates and weights; weights are 1 by default."""
    due = numbers_of(due_dates, "due_dates", "jobs", shape=(jobs,))
    given = np.ones(jobs, np.int64) if weights is None else weights
    return due, numbers_of(given, "weights", "jobs", shape=(jobs,), signed=False)


def of_one_type(*tables: NDArray[Any] | None) -> Any:
    """Return the tables, as float64 if one of them is, and read-only; None stays None."""
    real = any(table is not None and table.dtype.kind == "f" for table in tables)
    kept = [
        None if table is None else table.astype(np.float64 if real else np.int64, copy=False)
        for table in tables
    ]
    for table in kept:
        if table is not None:
            table.flags.writeable = False
    return kept


def check_delays(due_dates: NDArray[Any], weights: NDArray[Any], longest: Any) -> None:
    """Raise if costs may reach 2**62. `longest` is a number that no makespan exceeds."""
    latest = max(longest - due_dates.min().item(), 0)
    if max(1, weights.sum(dtype=object)) * latest >= MOST:
        raise InvalidProblemError(
            "due_dates: weights times delays may add up to 2**62; use larger units of time"
        )
