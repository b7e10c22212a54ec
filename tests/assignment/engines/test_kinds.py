"""Variables of the same kind never trade values in steps, and mates trade them to be alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines.searched_states import relabelled
from gpu_ls_plugin.runs.acceptance import Always

DISTANCES = np.random.default_rng(1).integers(0, 99, (9, 9))


@pytest.mark.parametrize("accept", [None, Always()], ids=["tabu", "accepted"])
def test_steps_change_the_cost(accept):
    """If all facilities are of one kind, there is no move."""
    for ones in (9, 8):
        wanted = np.repeat([1, 0], [ones, 9 - ones])
        problem = gls.QuadraticAssignment(np.outer(wanted, wanted), DISTANCES)
        search = gls.SuccessorSearch(steps=5, accept=accept)
        found = search(problem, budget=gls.Budget(kicks=1), backend="cpu")
        assert (found.statistics.moves > 0) == (ones < 9)


def test_few_kinds_are_solved():
    """One facility without flows: the search tries all nine places for it."""
    wanted = np.repeat([1, 0], [8, 1])
    problem = gls.QuadraticAssignment(np.outer(wanted, wanted), DISTANCES)
    rows = [np.r_[np.delete(np.arange(9), place), place] for place in range(9)]
    search = gls.SuccessorSearch(steps=9, mixing=0.0)
    found = search(problem, np.array(rows[:1]), budget=gls.Budget(kicks=1), backend="cpu")
    assert found.best_cost == problem.cost(np.array(rows)).min()


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 4))
def test_relabelled_rows_keep_the_values_of_each_kind(seed, n, most):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, most, n)
    kinds = np.array([labels.tolist().index(label) for label in labels], np.int32)
    states, others = (np.array([rng.permutation(n) for _ in range(5)], np.int32) for _ in "ab")
    made = relabelled(np, states, others, kinds)
    assert made.dtype == np.int32
    for row, other, new in zip(states, others, made, strict=True):
        for kind in set(kinds):
            own = kinds == kind
            assert set(new[own]) == set(row[own])
            shared = own & np.isin(other, row[own])
            np.testing.assert_array_equal(new[shared], other[shared])
