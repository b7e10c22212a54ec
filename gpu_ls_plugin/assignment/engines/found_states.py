"""The best state of each row of a search, and quick ways to make complete states."""

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
    """The best state of each row, with its cost and excess.

    Attributes
    ----------
    states : array, shape (P, m), int32
    costs, excesses : arrays, shape (P,), int64
        Costs and excesses of `states`, from the functor; NOTHING for states not evaluated yet.
    """

    def __init__(self, xp: Any, states: Any) -> None:
        self._xp = xp
        self.states = states.copy()
        self.costs, self.excesses = (xp.full(len(states), NOTHING, "int64") for _ in range(2))

    def worse_than(self, others: BestStates, rows: Any = slice(None)) -> Any:
        """Return a mask of the rows that are worse than rows `rows` of `others`.

        A row is worse if it has more excess, or the same excess and a higher cost. By default, each
        row is compared with the same row of `others`.
        """
        excesses, costs = others.excesses[rows], others.costs[rows]
        worse = excesses < self.excesses
        worse |= (excesses == self.excesses) & (costs < self.costs)
        return worse

    def take(self, others: BestStates) -> Any:
        """Copy states of `others` to the rows that they improve; return a mask of these rows."""
        worse = self.worse_than(others)
        for own, its in zip(self._arrays(), others._arrays(), strict=True):
            self._xp.copyto(own, its, where=worse if own.ndim == 1 else worse[:, None])
        return worse

    def forget(self, rows: Any = slice(None)) -> None:
        """Forget costs and excesses, so that any evaluated state counts as better."""
        self.costs[rows] = self.excesses[rows] = NOTHING

    def _arrays(self) -> tuple[Any, ...]:
        return self.states, self.costs, self.excesses


GREEDY = 30  # the largest sharpness of `CheapestValue`


def quick_state(problem: Assignment, backend: Backend, seed: int) -> NDArray[np.int32]:
    """Return the problem's quick state (n,); if it has none, a greedy one, in which variables
    may lack a value.
    """
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
    """Return copies of states (P, n) in which each variable without a value gets a random one.

    If values must be distinct, no other variable has this value. The random numbers of a row depend
    only on `seed` and the row's number; rows are numbered from `first_row`.
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
