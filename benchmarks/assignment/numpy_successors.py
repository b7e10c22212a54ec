"""Generation of successors in NumPy alone: one variable after the other, all states at once.

As in `gls.SuccessorGeneration`, the weights of a row of states are masked, summed up and searched
for a drawn number. Data that masks keep beside the states make each step cheap: the remaining
capacity of each value, used values, and sets of colours as bits. The sets of all neighbours are
joined word by word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD = 64  # bits
Places = Any  # one variable for all states, or an array with one for each


class Mask(Protocol):
    """Tells which values are possible in the current states."""

    def begin(self, states: NDArray[Any]) -> None:
        """Take states (P, m), in which some variables have no value yet, -1."""

    def allowed(self, variables: Places) -> NDArray[np.bool_]:
        """Return which values a variable of each state may have, shape (P, values)."""

    def assign(self, variables: Places, values: NDArray[Any]) -> None:
        """Note the value of each state's variable; -1 is none."""


class Successors:
    """Successors of states by a table of weights, with a mask.

    Parameters
    ----------
    weights : integer array, shape (variables, values)
        Rows must not sum up to 2**31 or more.
    mask : Mask
    """

    def __init__(self, weights: NDArray[Any], mask: Mask) -> None:
        self.weights = np.ascontiguousarray(weights, np.int32)
        self.mask = mask

    def __call__(
        self, states: NDArray[Any], variables: Any, rng: np.random.Generator
    ) -> NDArray[Any]:
        """Return a successor of each state.

        Parameters
        ----------
        states : int32 array, shape (P, m)
        variables : integer array, shape (steps,) or (steps, P)
            The variable that is assigned in each step: one for all states, or one for each.
        rng : numpy Generator
        """
        found, rows = states.copy(), np.arange(len(states))
        for own in variables:
            found[rows, own] = -1
        self.mask.begin(found)
        shape = len(states), self.weights.shape[1]
        weights, sums = np.empty(shape, np.int32), np.empty(shape, np.int32)
        for own, uniform in zip(variables, rng.random((len(variables), len(states))), strict=True):
            np.multiply(self.weights[own], self.mask.allowed(own), out=weights)
            np.cumsum(weights, axis=1, out=sums)
            total = sums[:, -1]
            drawn = (uniform * total).astype(np.int32)
            # The first value whose sum is beyond the number; a row without weights has none.
            values = np.where(total > 0, (sums > drawn[:, None]).argmax(axis=1), -1)
            found[rows, own] = values
            self.mask.assign(own, values)
        return found


class Conflicts:
    """No two variables of a pair may have the same value."""

    def __init__(self, pairs: NDArray[Any], variables: int, values: int) -> None:
        ends = np.concatenate([pairs, pairs[:, ::-1]])
        neighbours = [ends[ends[:, 0] == own, 1] for own in range(variables)]
        most = max(map(len, neighbours))
        self.neighbours = neighbours
        padding = [np.full(most - len(row), variables) for row in neighbours]
        self.padded = np.array(
            [np.append(*pair) for pair in zip(neighbours, padding, strict=True)], np.intp
        )
        self.values, self.words = values, -(-values // WORD)

    def begin(self, states: NDArray[Any]) -> None:
        count, m = states.shape
        self.rows = np.arange(count)
        self.sets = np.zeros((m + 1, count, self.words), np.uint64)  # the last: of no variable
        rows, variables = np.nonzero(states >= 0)
        values = states[rows, variables]
        self.sets[variables, rows, values // WORD] = _bit(values)

    def allowed(self, variables: Places) -> NDArray[np.bool_]:
        if np.ndim(variables):
            theirs = self.sets[self.padded[variables], self.rows[:, None]]
            taken = np.bitwise_or.reduce(theirs, axis=1)
        else:
            taken = np.bitwise_or.reduce(self.sets[self.neighbours[variables]], axis=0)
        bits = np.unpackbits((~taken).view(np.uint8), axis=1, bitorder="little")
        return bits[:, : self.values].view(np.bool_)

    def assign(self, variables: Places, values: NDArray[Any]) -> None:
        rows = np.flatnonzero(values >= 0)
        own, chosen = variables if not np.ndim(variables) else variables[rows], values[rows]
        self.sets[own, rows, chosen // WORD] = _bit(chosen)


def _bit(values: NDArray[Any]) -> NDArray[np.uint64]:
    return np.left_shift(np.uint64(1), (values % WORD).astype(np.uint64))


class Capacities:
    """Demands of the variables of a value must not exceed its capacity."""

    def __init__(self, capacities: NDArray[Any], demands: NDArray[Any]) -> None:
        self.capacities = np.append(capacities, 0).astype(np.int32)  # the last: of no value
        self.demands = np.ascontiguousarray(np.pad(demands, ((0, 0), (0, 1))), np.int32)

    def begin(self, states: NDArray[Any]) -> None:
        self.rows = np.arange(len(states))
        self.room = np.tile(self.capacities, (len(states), 1))
        for variable, values in enumerate(states.T):
            self.room[self.rows, values] -= self.demands[variable, values]

    def allowed(self, variables: Places) -> NDArray[np.bool_]:
        return np.asarray(self.demands[variables] <= self.room)[:, :-1]

    def assign(self, variables: Places, values: NDArray[Any]) -> None:
        self.room[self.rows, values] -= self.demands[variables, values]


class Distinct:
    """No two variables may have the same value."""

    def __init__(self, values: int) -> None:
        self.values = values

    def begin(self, states: NDArray[Any]) -> None:
        self.rows = np.arange(len(states))
        self.free = np.ones((len(states), self.values + 1), np.bool_)  # the last: no value
        for values in states.T:
            self.free[self.rows, values] = False

    def allowed(self, variables: Places) -> NDArray[np.bool_]:
        return self.free[:, :-1]

    def assign(self, variables: Places, values: NDArray[Any]) -> None:
        self.free[self.rows, values] = False
