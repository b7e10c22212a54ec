"""Gaps of costs and fronts to the best known ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gpu_ls_plugin.experiments.gaps import gap_of, hypervolume

FRONTS = st.integers(1, 4).flatmap(
    lambda m: arrays(np.int64, st.tuples(st.integers(0, 7), st.just(m)), elements=st.integers(0, 6))
)


@given(FRONTS)
def test_the_hypervolume_is_the_number_of_dominated_cells(front):
    corner = 5
    cells = np.stack(np.meshgrid(*[range(corner)] * front.shape[1]), axis=-1)
    dominated = (cells.reshape(-1, 1, front.shape[1]) >= front).all(axis=2).any(axis=1)
    expected = dominated.sum()
    assert hypervolume(front, [corner] * front.shape[1]) == pytest.approx(float(expected))


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_the_hypervolume_is_that_of_pymoo(objectives):
    reason = 'needs pip install "gpu-ls-plugin[pymoo]"'
    indicator = pytest.importorskip("pymoo.indicators.hv", reason=reason)
    front = np.random.default_rng(objectives).random((30, objectives))
    corner = np.full(objectives, 1.1)
    assert hypervolume(front, corner) == pytest.approx(indicator.HV(ref_point=corner)(front))


@pytest.mark.parametrize(
    ("costs", "optimum", "expected"),
    [
        ([[110.0]], 100.0, 10.0),
        ([[100.0]], 100.0, 0.0),
        ([[90.0]], 100.0, -10.0),  # better than the optimum: not hidden
        ([[-90.0]], -100.0, 10.0),
        ([[0.0]], 0.0, 0.0),
        ([[1.0]], 0.0, 100.0),  # of 1
        ([], 100.0, math.inf),
    ],
)
def test_gaps_of_costs(costs, optimum, expected):
    gap = gap_of(1, [costs], optimum)
    assert gap(costs) == pytest.approx(expected)
    assert str(gap) == f"the optimum, {optimum:.10g}"


def test_without_an_optimum_the_best_of_all_runs_is_the_reference():
    gap = gap_of(1, [[[12.0]], [], [[10.0]]], None)
    assert (gap([[12.0]]), gap([[10.0]])) == (pytest.approx(20.0), 0.0)
    assert str(gap) == "the best cost of all runs, 10"


@pytest.mark.parametrize("objectives", [1, 2])
def test_gaps_if_no_run_has_found_anything(objectives):
    gap = gap_of(objectives, [[], []], None)
    assert gap([]) == gap([[5.0] * objectives]) == math.inf
    assert str(gap) == "nothing, since no run found a feasible solution"


def test_lengths_added_up_in_another_order_have_equal_gaps():
    lengths = np.random.default_rng(1).random(1000)
    one, other = float(np.cumsum(lengths)[-1]), float(np.cumsum(lengths[::-1])[-1])
    assert one != other
    gap = gap_of(1, [], min(one, other))
    assert gap([[one]]) == gap([[other]]) == 0.0


def test_gaps_of_fronts_by_hand():
    # Together they span (0, 0) to (10, 10), so that the corner is (11, 11).
    first, second = [[0.0, 10.0], [10.0, 0.0]], [[5.0, 5.0]]
    gap = gap_of(2, [first, second, []], None)
    whole = 5 * 1 + 5 * 6 + 1 * 11  # the columns from 0 to 5, from 5 to 10, from 10 to 11
    assert gap(first) == pytest.approx(100 * (1 - (10 * 1 + 1 * 11) / whole))
    assert gap(second) == pytest.approx(100 * (1 - 6 * 6 / whole))
    assert gap([*first, *second]) == 0.0
    assert gap([]) == math.inf and gap([[50.0, 50.0]]) == 100.0
    assert "hypervolume" in str(gap)


def test_fronts_of_one_point():
    gap = gap_of(2, [[[3.0, 4.0]]] * 2, None)
    assert gap([[3.0, 4.0]]) == 0.0 and gap([[9.0, 9.0]]) == 100.0
