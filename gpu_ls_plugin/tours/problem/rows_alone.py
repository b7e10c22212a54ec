"""Problems for parts that read the rows, but no lengths."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.tours.problem.tsp import TSP, tour_problem


def rows_alone(problem: object) -> TSP:
    """Return the TSP of a problem, or of another problem whose rows are permutations.

    In the second case, all lengths are 0.

    Raises
    ------
    InvalidTypeError
        The rows of the problem are not permutations.
    """
    if isinstance(problem, Problem) and problem.tsp is None and domain_of(problem).permutations:
        return unmeasured(problem.n)
    return tour_problem(problem)


@lru_cache(maxsize=4)
def unmeasured(n: int) -> TSP:
    """Return a TSP with n cities whose lengths are all 0."""
    return TSP(np.zeros((n, 2)))
