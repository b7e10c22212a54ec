"""Types of rows, and keys of canonical tours."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.batches.rows import as_tours, keys, unknown
from tests.evolution.samples import rows, undirected


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 20])
def test_rotations_and_reversals_have_one_key(n):
    tour = rows(n, 1)[0]
    rotations = np.array([np.roll(tour, shift) for shift in range(n)])
    written = canonical(np.concatenate([rotations, rotations[:, ::-1]]))
    assert len(set(keys(written))) == 1
    assert written[0, 0] == 0
    assert n < 3 or written[0, 1] < written[0, -1]
    assert undirected(written[0]) == undirected(tour)


def test_unknown_finds_known_rows_and_repeated_rows():
    tours = canonical(rows(9, 4))
    batch = tours[[0, 1, 1, 2, 3]]
    assert unknown(batch, set(keys(tours[:1]))).tolist() == [False, True, False, True, True]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64, object])
def test_whole_numbers_of_any_type_are_tours(dtype):
    tours = as_tours(rows(9, 3).astype(dtype))
    assert tours.dtype == np.int32
    assert (tours == rows(9, 3)).all()


@pytest.mark.parametrize("value", [0.5, np.nan, np.inf, -1.0])
def test_other_numbers_are_not_changed(value):
    wrong = rows(9, 3).astype(float)
    wrong[1, 2] = value
    assert as_tours(wrong)[1, 2] == value or np.isnan(value)
