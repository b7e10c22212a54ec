"""The best states of the rows of a search, and complete ones that take hardly any time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.heuristics.cheapest_value import CheapestValue
from gpu_ls_plugin.assignment.successors.generation import SuccessorGeneration

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.backends.base import Backend

NOTHING = 2**62  # cost of a state that has not been evaluated yet


class BestStates:
    """The best states of rows, and what they are worth.

    Attributes
    ----------
    states : array, shape (P, m), int32
    costs, excesses : arrays, shape (P,), int64
        As the problem's functor says.
    """

    def __init__(self, xp: Any, states: Any) -> None:
        self._xp = xp
        self.states = states.copy()
        self.costs, self.excesses = (xp.full(len(states), NOTHING, "int64") for _ in range(2))

    def worse_than(self, others: BestStates, rows: Any = slice(None)) -> Any:
        """Return which rows break constraints by more than those others, or else cost more."""
        excesses, costs = others.excesses[rows], others.costs[rows]
        worse = excesses < self.excesses
        worse |= (excesses == self.excesses) & (costs < self.costs)
        return worse

    def take(self, others: BestStates) -> Any:
        """Replace what is worse than others of the same row; return where."""
        worse = self.worse_than(others)
        for own, its in zip(self._arrays(), others._arrays(), strict=True):
            self._xp.copyto(own, its, where=worse if own.ndim == 1 else worse[:, None])
        return worse

    def forget(self) -> None:
        """Let any other state be better."""
        self.costs[:] = self.excesses[:] = NOTHING

    def _arrays(self) -> tuple[Any, ...]:
        return self.states, self.costs, self.excesses


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
