"""Problems for parts that read the rows, but no lengths."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.tours.problem.tsp import TSP, tour_problem


def other_permutations(problem: object) -> bool:
    """Return whether the rows of a problem are permutations other than tours."""
    return isinstance(problem, Problem) and problem.tsp is None and domain_of(problem).permutations


def rows_alone(problem: Any) -> TSP:
    """Return the TSP of a problem; for other permutations, one whose lengths are all 0.

    Raises
    ------
    InvalidTypeError
        The rows of the problem are not permutations.
    """
    return _unmeasured(problem.n) if other_permutations(problem) else tour_problem(problem)


def as_rows(problem: Any, xp: Any, permutations: Any) -> Any:
    """Return permutations as rows of a problem, which may fix some of their items."""
    if not other_permutations(problem):
        return permutations
    return domain_of(problem).with_fixed(problem, xp, permutations)


@lru_cache(maxsize=4)
def _unmeasured(n: int) -> TSP:
    return TSP(np.zeros((n, 2)))
