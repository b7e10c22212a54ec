"""Tours are copied and checked by one kernel; the CPU runs it in tests alone."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import copied_permutations
from tests.helpers.random_problems import random_tours

CPU = get_backend("cpu")
N, SIZE = 70, 9


def test_permutations_are_copied():
    rows = random_tours(N, SIZE)
    taken = copied_permutations(CPU, rows)
    assert np.array_equal(taken, rows)
    assert taken.dtype == np.int32
    assert not np.shares_memory(taken, rows)


@pytest.mark.parametrize("row", [0, SIZE - 1])
@pytest.mark.parametrize("place", [0, 31, N - 1])
@pytest.mark.parametrize("city", ["another's", -1, N, 2**31 - 1, -(2**31)])
def test_what_is_no_permutation_is_seen(row, place, city):
    rows = random_tours(N, SIZE)
    rows[row, place] = rows[row, place - 1] if city == "another's" else city
    assert copied_permutations(CPU, rows) is None


def test_rows_do_not_see_each_other():
    """A row with a city twice is not completed by what another one has noted."""
    rows = np.tile(np.arange(N, dtype=np.int32), (SIZE, 1))
    rows[4, :2] = 1
    assert copied_permutations(CPU, rows) is None
