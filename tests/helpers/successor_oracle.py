"""Successor generation with NumPy and lists: slow, and independent of the library's code."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from tests.helpers.philox import WORD, philox

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CHOICE, ORDER = 13, 14  # purposes of random numbers


def chosen(weights: Sequence[int], bits: int) -> int:
    """Return a value drawn with probabilities in proportion to its weight; -1 if all are 0."""
    total = sum(weights)
    left = bits * total >> 64
    for value, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return value
    return -1


def shuffled(variables: list[int], seed: int, row: int, step: int) -> list[int]:
    """Return the variables in the order of their assignment."""
    variables = list(variables)
    for turn in range(len(variables)):
        number = next(philox(seed, ORDER, row, step + turn))
        other = turn + number * (len(variables) - turn) // WORD
        variables[turn], variables[other] = variables[other], variables[turn]
    return variables


def successors(
    weigh: Callable[[list[int], int], Sequence[int]],
    states: Any,
    *,
    count: int = 1,
    active: Any = None,
    order: str = "given",
    seed: int = 0,
    first_row: int = 0,
) -> np.ndarray:
    """Return successors of states; ``weigh(state, variable)`` returns the weights of values."""
    rows, states = [], np.asarray(states)
    m = states.shape[1]
    masks = np.broadcast_to(True if active is None else active, states.shape)
    for number, (state, mask) in enumerate(zip(states, masks, strict=True), first_row):
        for copy in range(count):
            values = np.where(mask, -1, state).tolist()
            variables = np.flatnonzero(mask).tolist()
            if order == "shuffled":
                variables = shuffled(variables, seed, number, copy * m)
            for variable in variables:
                low, high = islice(philox(seed, CHOICE, number, copy * m + variable), 2)
                weights, bits = weigh(values, variable), low + WORD * high
                values[variable] = chosen(weights, bits)
            rows.append(values)
    return np.array(rows, np.int32)


def assert_successors(
    part: gls.Heuristic,
    weigh: Callable[[list[int], int], Sequence[int]],
    states: Any,
    sampler: str = "auto",
    problem: Any = None,
    **options: Any,
) -> np.ndarray:
    """Compare the successors by a heuristic, which are returned, with those by its weights."""
    found = gls.SuccessorGeneration(part, sampler)(problem, states, backend="cpu", **options)
    assert np.array_equal(found, successors(weigh, states, **options))
    return found
