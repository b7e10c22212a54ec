"""Lists whose rows have different lengths are refused with the name of the parameter."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidProblemError

PLACES, ONES = [(0, 0), (1, 0), (0, 1)], [0, 1, 1]
ROWS = (np.random.default_rng(1).random((2, 5, 2)), np.tile(np.arange(5), (2, 1)))
RAGGED = [[1, 2], [3]]
CALLS = {
    "coordinates": lambda: gls.TSP(RAGGED),
    "flows": lambda: gls.QuadraticAssignment(RAGGED, np.ones((2, 2))),
    "edges": lambda: gls.GraphColouring(4, RAGGED, 3),
    "demands": lambda: gls.VRP(PLACES, RAGGED, 5),
    "windows": lambda: gls.VRP(PLACES, ONES, 5, windows=RAGGED),
    "start_window": lambda: gls.VRP(PLACES, ONES, 5, start_window=RAGGED),
    "names": lambda: gls.VRP(PLACES, ONES, 5, names=[["a"], ["b", "c"]]),
    "capacity": lambda: gls.improve(*ROWS, demands=np.ones((2, 5), int), capacity=RAGGED),
}


@pytest.mark.parametrize("name", CALLS)
def test_ragged_lists_are_named(name: str) -> None:
    with pytest.raises(InvalidProblemError, match=f"{name}: rows of different lengths"):
        CALLS[name]()
