"""A search that waits instead of searching, so that the exchange takes the rest of the time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.result import Result, Statistics

if TYPE_CHECKING:
    from gpu_ls_plugin.core.budget import Budget


@dataclass(frozen=True)
class Waiting:
    """Returns other tours after the seconds of its budget, as an island with its own device would.

    Each call reverses a path of every tour, so that islands always have new tours to report.
    """

    name = "waiting"

    def __call__(
        self,
        problem: Any,
        tours: Any,
        *,
        seed: int = 0,
        budget: Budget | None = None,
        **options: Any,
    ) -> Result:
        """Wait for the time of the budget."""
        begin = time.perf_counter()
        found, drawn = np.array(tours), np.random.default_rng(seed)
        for row in found:
            first, last = np.sort(drawn.integers(0, problem.n, 2))
            row[first:last] = row[first:last][::-1]
        costs = problem.cost(found)
        seconds = 0.0 if budget is None or budget.seconds is None else budget.seconds
        time.sleep(max(0.0, seconds - (time.perf_counter() - begin)))
        counted = Statistics(seconds=time.perf_counter() - begin, stopped_by="seconds")
        return Result(found, costs, counted, problem)
