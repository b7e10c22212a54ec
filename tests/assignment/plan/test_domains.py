"""Conversion between integer rows and states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.plan.domains import Domains
from gpu_ls_plugin.core.exceptions import (
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)


class Permutation(gls.Assignment):
    """A problem with distinct values."""

    distinct = True
    integer = True

    def cost(self, rows):
        return self.check(rows) @ np.arange(self.n)


BOUNDS = st.lists(
    st.tuples(st.integers(-(2**40), 2**40), st.integers(0, 2**29)), min_size=1, max_size=5
)


@given(BOUNDS, st.integers(0, 99), st.sampled_from(["int64", "float64", "object"]))
def test_rows_become_states_and_back(bounds, seed, dtype):
    lowest = [low for low, _ in bounds]
    highest = [low + more for low, more in bounds]
    rows = np.random.default_rng(seed).integers(lowest, highest, (4, len(bounds)), endpoint=True)
    rows[0], rows[1] = lowest, highest
    domains = Domains.between(lowest, highest)
    states = domains.states(rows.astype(dtype))
    assert states.dtype == np.int32 and not states[0].any()
    assert (domains.problem.sizes == states[1] + 1).all()
    assert (domains.rows(states) == rows).all() and domains.rows(states).dtype == np.int64
    for place, by in ((0, -1), (1, 1)):
        outside = rows.copy()
        outside[place, -1] += by
        with pytest.raises(InvalidTourError, match=f"row {place} has "):
            domains.states(outside.astype(dtype))


def test_wrong_numbers_are_named():
    domains = Domains.between([2, 0], [5, 1])
    assert domains.states(np.array([[3, True]], object)).tolist() == [[1, 1]]
    assert Domains.between([0, 0], [1, 1]).states([[True, False]]).tolist() == [[1, 0]]
    message = r"pop: row 1 has 2\.5 as its variable 0, whose values are whole numbers 2\.\.5"
    for wrong, text in ((2.5, message), (float("nan"), "row 1 has nan"), (np.inf, "row 1 has inf")):
        with pytest.raises(InvalidTourError, match=text):
            domains.states([(2.0, 0.0), (wrong, 0.0)], "pop")
    for rows in ([[2.0]], np.zeros((0, 2)), np.zeros((1, 1, 2))):
        with pytest.raises(InvalidTourError, match=r"rows: shape .* rows of 2 variables"):
            domains.states(rows)
    for rows in ([["2", "1"]], [[2], [2, 1]], [[{}, 1]], [[2, 1j]]):
        with pytest.raises(InvalidTypeError, match="rows: "):
            domains.states(rows)


def test_wrong_bounds_are_named():
    for lowest, highest, text in (
        ([0, 0.5], [1, 2], "variable 1 are 0.5 to 2"),
        ([0, 3], [1, 2], "variable 1 are 3 to 2"),
        ([0], [float("nan")], "variable 0 are 0 to nan"),
        ([-np.inf], [0], "variable 0 are -inf"),
        ([0], [2**30], "variable 0 has 1073741825 values, more than"),
    ):
        with pytest.raises(InvalidProblemError, match=f"problem: .*{text}"):
            Domains.between(lowest, highest)
    assert Domains.between([0], [2**30 - 1]).highest.tolist() == [2**30 - 1]


def test_distinct_values_and_unknown_costs():
    domains = Domains.of(Permutation([4] * 4))
    assert domains.states([2.0, 0, 1, 3]).tolist() == [[2, 0, 1, 3]]
    with pytest.raises(InvalidTourError, match=r"row 1 has value 3 twice, .* operators of perm"):
        domains.states([[0, 1, 2, 3], [3, 1, 0, 3]])
    with pytest.raises(UnsupportedProblemError, match="framework"):
        Domains.between([0], [1]).problem.cost([[0]])
