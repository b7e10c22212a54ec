"""Due dates and weights of jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.core.problem_data import integers_of
from gpu_ls_plugin.sequences.problem.sequence import MOST

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def due_data(
    due_dates: ArrayLike, weights: ArrayLike | None, jobs: int, longest: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return checked due dates and weights; raise if costs may reach 2**62.

    `longest` is a number that no makespan exceeds.
    """
    due = integers_of(due_dates, "due_dates", "jobs", shape=(jobs,))
    given = np.ones(jobs, np.int64) if weights is None else weights
    prices = integers_of(given, "weights", "jobs", shape=(jobs,), signed=False)
    latest = max(longest - int(due.min()), 0)
    if max(1, sum(map(int, prices))) * latest >= MOST:
        raise InvalidProblemError(
            "due_dates: weights times delays may add up to 2**62; use larger units of time"
        )
    return due, prices
