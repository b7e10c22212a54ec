"""States of an assignment problem in the middle of a search on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.engines.searched_states import SearchedStates
from gpu_ls_plugin.backends import get_backend

if TYPE_CHECKING:
    import gpu_ls_plugin as gls

FIRST_ROW = 2**33  # beyond 32 bits


def random_states(problem: Any, size: int, seed: int) -> np.ndarray:
    """Return random complete states (size, n), int32, with distinct values if required."""
    rng = np.random.default_rng(seed)
    draw = rng.permutation if problem.distinct else lambda n: rng.integers(0, problem.sizes[:n])
    return np.array([draw(problem.n) for _ in range(size)], np.int32)


def searched(
    search: gls.SuccessorSearch, problem: Any, states: Any, seed: int = 7, first_row: int = 0
) -> SearchedStates:
    """Return a search with its first states; `states` change in place if they are int32."""
    rows = np.asarray(states, np.int32)
    plan = search.plan(problem)
    return SearchedStates(plan, get_backend("cpu"), problem, rows, seed, first_row, None, 2**30)


def after_steps(
    search: gls.SuccessorSearch,
    problem: Any,
    states: np.ndarray,
    steps: int,
    launch: int,
    seed: int,
) -> SearchedStates:
    """Return a search from row FIRST_ROW on after some steps, up to `launch` in each launch."""
    population = searched(search, problem, states.copy(), seed, FIRST_ROW)
    while population.step < steps:
        population.advance(min(launch, steps - population.step), 100.0)
    return population
