"""The kernel that copies and checks tours, which the CPU runs only in tests."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import queue_permutations
from tests.helpers.random_problems import random_tours

CPU = get_backend("cpu")
N, SIZE = 70, 9


def test_permutations_are_copied():
    rows = random_tours(N, SIZE)
    taken, faults = queue_permutations(CPU, rows)
    assert np.array_equal(taken, rows) and not faults[0]
    assert taken.dtype == np.int32
    assert not np.shares_memory(taken, rows)


@pytest.mark.parametrize("row", [0, SIZE - 1])
@pytest.mark.parametrize("place", [0, 31, N - 1])
@pytest.mark.parametrize("city", ["another's", -1, N, 2**31 - 1, -(2**31)])
def test_invalid_rows_are_detected(row, place, city):
    rows = random_tours(N, SIZE)
    expected = rows.copy()
    rows[row, place] = rows[row, place - 1] if city == "another's" else city
    expected[row] = np.arange(N)
    assert_replaced(rows, expected)


def test_rows_are_independent():
    """The notes of other rows do not complete a row with a city twice."""
    rows = np.tile(np.arange(N, dtype=np.int32), (SIZE, 1))
    expected = rows.copy()
    rows[4, :2] = 1
    assert_replaced(rows, expected)


def assert_replaced(rows, expected):
    """Check that an invalid row is reported, and replaced by a valid one."""
    taken, faults = queue_permutations(CPU, rows)
    assert faults[0]
    assert np.array_equal(taken, expected)
