"""Crossover of states whose values are interchangeable, such as colourings of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.arrays import reversed_rows
from gpu_ls_plugin.core.rows import blocks

if TYPE_CHECKING:
    import numpy as np

CELLS = 2**24  # maximum size of the table that pairs need at a time


def children_of(xp: Any, first: Any, second: Any, values: int, rng: np.random.Generator) -> Any:
    """Return a child of each pair of states, in which some variables have no value, -1.

    Variables with the same value form a class. The child gets the largest class of the first state,
    then the largest remaining class of the second one, and so on in turn, until it has `values`
    classes (Galinier and Hao 1999). Ties are broken at random.

    Parameters
    ----------
    first, second : arrays of `xp`, shape (P, m), int32
        Values from -1 to `values` - 1.

    Returns
    -------
    array, shape (P, m), int32
    """
    made = xp.empty_like(first)
    for rows in blocks(len(first), (values + 1) ** 2, CELLS):
        ties = rng.random((2, rows.stop - rows.start, values))
        made[rows] = _children(xp, (first[rows], second[rows]), values, xp.asarray(ties))
    return made


def _children(xp: Any, parents: tuple[Any, Any], values: int, ties: Any) -> Any:
    size = len(parents[0])
    rows, width = xp.arange(size), values + 1  # variables without a value form the last class
    first, second = (xp.where(states < 0, values, states) for states in parents)
    cells = (rows[:, None] * width + first) * width + second
    # How many variables each class of the first state shares with each of the second.
    shared = xp.zeros(size * width**2, "int64")
    xp.add.at(shared, cells.ravel(), 1)
    shared = shared.reshape(size, width, width)
    mine = reversed_rows(shared).sum(axis=2)[:, :-1] + ties[0]
    its = shared.sum(axis=1)[:, :-1] + ties[1]
    turns = xp.full((2, size, width), values, "int32")  # of classes that the child does not get
    for turn in range(values):
        if turn % 2 == 0:
            largest = _largest(mine)
            its -= shared[rows, largest, :-1]
            shared[rows, largest], mine[rows, largest] = 0, -1
        else:
            largest = _largest(its)
            mine -= shared[rows, :-1, largest]
            shared[rows, :, largest], its[rows, largest] = 0, -1
        turns[turn % 2][rows, largest] = turn
    child = xp.minimum(turns[0][rows[:, None], first], turns[1][rows[:, None], second])
    return xp.where(child == values, -1, child)


def _largest(sizes: Any) -> Any:
    """Return the index of the largest value of each row."""
    return sizes.shape[1] - 1 - reversed_rows(sizes).argmax(axis=1)
