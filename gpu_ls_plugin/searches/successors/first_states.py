"""Complete states that take hardly any time: what a search returns if its time is over at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.heuristics.cheapest_value import CheapestValue
from gpu_ls_plugin.successors import SuccessorGeneration

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.assignment import Assignment

GREEDY = 30  # sharpness of the heuristic


def quick_state(problem: Assignment, backend: Backend, seed: int) -> NDArray[np.int32]:
    """Return the problem's quick state, or the greedy heuristic's, perhaps incomplete, (n,)."""
    own = problem.quick_state()
    if own is not None:
        return own
    empty = np.full((1, problem.n), -1, np.int32)
    generate = SuccessorGeneration(CheapestValue(GREEDY))
    found: NDArray[np.int32] = generate(
        problem, empty, order="shuffled", seed=seed, backend=backend
    )[0]
    return found


def completed(
    problem: Assignment, states: NDArray[np.int32], seed: int, first_row: int = 0
) -> NDArray[np.int32]:
    """Return states in which variables without a value have got a random one, shape (P, n).

    No two variables get the same value if values are to be distinct. Each row depends on its
    number and the seed alone; `states` do not change.
    """
    rows = states.copy()
    for number in np.flatnonzero((rows < 0).any(axis=1)).tolist():
        row, rng = rows[number], np.random.default_rng((seed, first_row + number))
        lacking = row < 0
        if problem.distinct:
            free = np.setdiff1d(np.arange(problem.sizes.max()), row[~lacking])
            row[lacking] = rng.permutation(free)[: lacking.sum()]
        else:
            row[lacking] = rng.integers(0, problem.sizes[lacking])
    return rows
