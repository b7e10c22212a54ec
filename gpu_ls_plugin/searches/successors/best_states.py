"""The best states of the rows of a search."""

from __future__ import annotations

from typing import Any

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
